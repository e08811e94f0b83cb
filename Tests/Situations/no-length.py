"""Servers that tell no length, or ignore ranges."""

from lib.checks import *
from lib.origin import *

body, long = content(300_000), content(3_000_000)


def without_length(of, heads=True):
    def answer(request, send):
        if request.method == "HEAD":
            send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            return True
        return chunked(send, of)

    return Origin(answer)


def without_ranges(of, claims_ranges):
    def answer(request, send):
        request.fields.pop("range", None)
        return honest(request, send, of, claims_ranges=claims_ranges)

    return Origin(answer)


def check_whole(what, origin, of, name):
    check_bytes(f"{what}: cat", tool("cat", origin.url()), of)
    requests = origin.taken()
    run = tool("copy", origin.url(), path(name))
    check_copy(f"{what}: copy", run, name, of)
    return requests


origin = without_length(body)
check_whole("no length", origin, body, "1")
check_bytes("no length: a range of 300 kB", tool("read", origin.url(), "--range", "1000-1999"), body[1000:2000])
origin = without_length(long)
check_whole("no length, 3 MB", origin, long, "2")
run = tool("read", origin.url(), "--range", "2000000-2000999")
check_failure("no length, 3 MB: a range is refused, and the message says why", run, 3, "how long")


def only_head_lacks_it(request, send):
    if request.method == "HEAD":
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        return True
    return honest(request, send, body)


origin = Origin(only_head_lacks_it)
check_bytes("HEAD without a length: a range", tool("read", origin.url(), "--range", "1000-1999"), body[1000:2000])
parts = reads("head", origin.url(), "--", "1000:1000")
check("… of a reader that asks by HEAD", [part.bytes for part in parts] == [body[1000:2000]], shown(parts))

# That of the opening, and for a long object one that is read on. Who says that there are ranges is asked for the first byte.
for what, of, claims, most in (
    ("ranges ignored", body, True, 1),
    ("ranges ignored, 3 MB", long, False, 2),
    ("ranges ignored, and claimed, 3 MB", long, True, 3),
):
    origin = without_ranges(of, claims)
    requests = check_whole(what, origin, of, what)
    check(f"… by {most} GET", [request.method for request in requests] == ["GET"] * most, ", ".join(map(str, requests)))
    run = tool("read", origin.url(), "--range", "200000-200999")
    check_bytes(f"{what}: a range", run, of[200_000:201_000])
done()
