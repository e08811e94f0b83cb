"""503 and 429 with and without Retry-After; a server that is away for a second or two."""

from lib.checks import *
from lib.origin import *

body = content(3_000_000)
busy = b"<Error><Code>SlowDown</Code></Error>"


def refusing(status, fields, is_refused):
    """A server that refuses the requests of these numbers, from 1 on."""
    numbers = iter(range(1, 1_000_000))

    def answer(request, send):
        if is_refused(next(numbers)):
            return reply(request, send, status, fields, busy)
        return honest(request, send, body)

    return Origin(answer)


origin = refusing(429, [("Retry-After", "1")], lambda number: number <= 3)
check_bytes("429 with Retry-After: 1, three times: waited for", tool("cat", origin.url()), body)
origin = refusing(503, [], lambda number: number % 3)
check_bytes("503 without Retry-After, two of three requests: asked again", tool("cat", origin.url()), body)
origin = refusing(503, [("Retry-After", YEARS_AGO)], lambda number: number <= 2)
check_bytes("503 with a Retry-After that is past: asked again", tool("cat", origin.url()), body)
origin = refusing(429, [("Retry-After", "3600")], lambda number: True)
check_failure("429 with Retry-After: 3600: an error at once", tool("cat", origin.url()), 1, "429", "busy")
check("… after one request", len(origin.requests) == 1, len(origin.requests))
origin = refusing(403, [("X-RateLimit-Remaining", "0")], lambda number: True)
check_failure("403 of a rate limit: an error at once", tool("cat", origin.url()), 3, "403")
check("… after one request", len(origin.requests) == 1, len(origin.requests))


def leaving(kind, seconds):
    """A server that is away for so long, from the first request past 2 MB on."""
    began = []

    def answer(request, send):
        if not began and (request.range(len(body)) or (0,))[0] > 2_000_000:
            began.append(time.monotonic())
            if kind == "refused":
                origin.refuse(seconds)
                return False
        if began and time.monotonic() - began[0] < seconds:
            return reply(request, send, 503) if kind == "503" else reset(request)
        return honest(request, send, body)

    origin = Origin(answer)
    return origin


for kind, seconds in ("503", 1), ("reset", 1), ("refused", 1):
    check_bytes(f"{kind} for {seconds} s: cat waits", tool("cat", leaving(kind, seconds).url()), body)
    run = tool("copy", leaving(kind, seconds).url(), path(kind))
    check_copy(f"{kind} for {seconds} s: copy waits", run, kind, body)
done()
