"""Servers that know only GET answer HEAD with an error, or with a page. GET decides whether the object is there."""

from lib.checks import *
from lib.origin import *

body = content(300_000)
right = body[100_000:101_000]


def check_read(what, origin):
    run = tool("read", origin.url("/download.php?id=7"), "--range", "100000-100999")
    check_bytes(f"{what}: the tool reads", run, right)
    check("… by one request", len(origin.taken()) == 1)
    parts = reads("head", origin.url("/download.php?id=7"), "--", "100000:1000")
    check(f"{what}: a reader that asks by HEAD reads", [part.bytes for part in parts] == [right], shown(parts))
    requests = origin.taken()
    check("… by one HEAD and two GET at most", len(requests) <= 3, ", ".join(map(str, requests)))


for status in 400, 401, 403, 404, 405, 500, 501, 502, 503:
    def answer(request, send):
        if request.method == "HEAD":
            return reply(request, send, status, [("Content-Type", "application/json")])
        return honest(request, send, body)

    check_read(f"HEAD {status}", Origin(answer))

HTML = ("Content-Type", "text/html; charset=UTF-8")
JSON = [("Content-Type", "application/json"), ("Content-Length", "57")]


def misled(fields, **marks):
    def answer(request, send):
        if request.method == "HEAD":
            return reply(request, send, 200, fields)
        return honest(request, send, body, fields=[("Content-Type", "video/mp4")], **marks)

    return Origin(answer)


check_read("HEAD: a page of no length", misled([HTML, ("Transfer-Encoding", "chunked")]))
check_read("HEAD: a page of 0 bytes", misled([HTML, ("Content-Length", "0")]))
check_read("HEAD: a page of 1,234 bytes", misled([HTML, ("Content-Length", "1234")]))
for what, marks in ("", {}), (", and GET without tag and date", {"tag": None, "date": None}):
    origin = misled(JSON, **marks)
    run = tool("read", origin.url(), "--range", "100000-100999")
    check_bytes(f"HEAD: an object of 57 bytes{what}: the tool reads", run, right)
    # Nothing shows that this is not the object.
    parts = reads("head", origin.url(), "--", "100000:1000")
    check("… a reader that asks by HEAD reads no wrong byte", parts and parts[0].bytes in (None, right), shown(parts))
    parts = reads("head", origin.url(), "--", "0:57")
    check("… nor of the 57", parts and parts[0].bytes in (None, body[:57]), shown(parts))
done()
