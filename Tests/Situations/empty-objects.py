"""Ranges of an object without bytes are answered in seven ways. HEAD and a plain GET say 200, and length 0."""

from lib.checks import *
from lib.origin import *

WAYS = {
    "416 with bytes */0": lambda request, send: reply(request, send, 416, [("Content-Range", "bytes */0")]),
    "416 alone": lambda request, send: reply(request, send, 416),
    "200 without a body": lambda request, send: reply(request, send, 200, [("ETag", '"e"')]),
    "400 with a text": lambda request, send: reply(request, send, 400, [], b"Range requests are not enabled"),
    "206 with bytes 0--1/0": lambda request, send: reply(
        request, send, 206, [("Content-Range", "bytes 0--1/0"), ("ETag", '"e"')]),
    "204": lambda request, send: send(b"HTTP/1.1 204 No Content\r\n\r\n") or True,
    "500": lambda request, send: reply(request, send, 500, [], b"<Error/>"),
}
for number, (way, ranged) in enumerate(WAYS.items()):
    def answer(request, send):
        if "range" in request.fields and request.method == "GET":
            return ranged(request, send)
        return reply(request, send, 200, [("ETag", '"e"')])

    origin = Origin(answer)
    check_bytes(f"{way}: cat", tool("cat", origin.url()), b"")
    check_copy(f"{way}: copy", tool("copy", origin.url(), path(f"copy{number}")), f"copy{number}", b"")
    check_bytes(f"{way}: the last ten bytes", tool("read", origin.url(), "--suffix", "10"), b"")
    check(f"{way}: opened by HEAD", (parts := reads("head", origin.url(), "--", "0:0")) and parts[0].bytes == b"", shown(parts))
done()
