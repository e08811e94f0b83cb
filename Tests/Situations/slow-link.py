"""A link of 60 KiB/s that all connections share; and a server that stops in the middle."""

from lib.checks import *
from lib.origin import *

RATE = 60 << 10
body = content(120 << 10)


class Link:
    """Lets RATE bytes a second through, in the order in which they come."""

    def __init__(self):
        self.lock, self.free = threading.Lock(), time.monotonic()

    def take(self, count):
        with self.lock:
            self.free = max(self.free, time.monotonic()) + count / RATE
            wait = self.free - time.monotonic()
        time.sleep(wait)


def linked():
    link = Link()

    def answer(request, send):
        out = []
        honest(request, out.append, body)
        head, _, rest = out[0].partition(b"\r\n\r\n")
        send(head + b"\r\n\r\n")
        for start in range(0, len(rest), 4096):
            link.take(len(rest[start : start + 4096]))
            send(rest[start : start + 4096])
        return True

    return Origin(answer)


def check_once(what, origin):
    ranges = [request.range(len(body)) for request in origin.taken() if request.method == "GET"]
    asked = sum(last + 1 - first for first, last in ranges)
    check(f"{what}: no byte is asked for twice", asked == len(body), f"{asked} of {len(body)}, {ranges}")


origin = linked()
check_bytes("cat comes to the end", tool("cat", origin.url()), body)
check_once("cat", origin)
check_bytes("read comes to the end", tool("read", origin.url(), "--range", f"0-{len(body) - 1}"), body)
check_once("read", origin)
check_copy("copy comes to the end", tool("copy", origin.url(), path("copy")), "copy", body)
check_once("copy", origin)


def stopping(request, send):
    out = []
    honest(request, out.append, body)
    send(out[0][: len(out[0]) // 2])
    # Until the client gives up.
    return request.connection.recv(1) is None


run = tool("cat", Origin(stopping).url(), "--time-limit", "1")
check_failure("a server that stops is given up when --time-limit says so", run, 1, "--time-limit")
done()
