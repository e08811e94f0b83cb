"""A server of odd answers: HTTP/1.1 over plain sockets of 127.0.0.1, a thread for each connection."""

import random
import socket
import struct
import threading
import time

YEARS_AGO = "Tue, 01 Sep 2020 00:00:00 GMT"


def content(count, seed=0):
    """Bytes that differ from place to place, and from seed to seed."""
    return random.Random(seed).randbytes(count)


def http_date(seconds):
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(seconds))


class Request:
    def __init__(self, head, connection):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target = lines[0].split(" ")[:2]
        self.connection = connection
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.fields[name.strip().lower()] = value.strip()

    def __str__(self):
        return " ".join([self.method, self.target, self.fields.get("range", "")]).strip()

    def range(self, size):
        """The first and the last byte that it asks for, or `None`."""
        text = self.fields.get("range", "")
        if not text.startswith("bytes="):
            return None
        first, _, last = text[6:].partition("-")
        if not first:
            return max(0, size - int(last)), size - 1
        return int(first), min(int(last), size - 1) if last else size - 1


class Origin:
    """Has `answer(request, send)` answer each request: `send(bytes)` writes, and what it returns says whether the connection
    stays. `requests` are those so far."""

    def __init__(self, answer):
        self.answer, self.requests = answer, []
        self.lock = threading.Lock()
        self.port = 0
        self.listen()

    def listen(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", self.port))
        self.socket.listen(128)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, args=(self.socket,), daemon=True).start()

    def refuse(self, seconds):
        """Refuses connections for so long."""
        # Closed alone, it would take one more connection, which `accept` waits for.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        threading.Timer(seconds, self.listen).start()

    def url(self, path="/object"):
        return f"http://127.0.0.1:{self.port}{path}"

    def taken(self):
        """The requests since the last call."""
        with self.lock:
            requests, self.requests = self.requests, []
        return requests

    def _accept(self, listening):
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        came = b""
        try:
            while True:
                while b"\r\n\r\n" not in came:
                    more = connection.recv(65536)
                    if not more:
                        return
                    came += more
                head, _, came = came.partition(b"\r\n\r\n")
                request = Request(head, connection)
                with self.lock:
                    self.requests.append(request)
                if not self.answer(request, connection.sendall):
                    return
        except OSError:
            pass
        finally:
            connection.close()


def reset(request):
    """Has the connection of the request end with RST."""
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def reply(request, send, status, fields=(), body=b""):
    """An answer with these fields and a length, unless they tell one."""
    fields = list(fields)
    if not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in fields):
        fields.append(("Content-Length", str(len(body))))
    head = f"HTTP/1.1 {status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
    send(head.encode("latin-1") + (b"" if request.method == "HEAD" else body))
    return True


def honest(request, send, body, tag='"v1"', date=YEARS_AGO, fields=(), claims_ranges=True):
    """What a good server answers. Without a tag, or a date, that is `None`."""
    fields = [("Date", http_date(time.time())), *fields]
    if claims_ranges:
        fields.append(("Accept-Ranges", "bytes"))
    if tag:
        fields.append(("ETag", tag))
    if date:
        fields.append(("Last-Modified", date))
    if tag and request.fields.get("if-match", tag) != tag:
        return reply(request, send, 412, fields)
    wanted = request.range(len(body))
    if request.method == "HEAD":
        return reply(request, send, 200, [*fields, ("Content-Length", str(len(body)))])
    if wanted is None:
        return reply(request, send, 200, fields, body)
    first, last = wanted
    if first >= len(body):
        return reply(request, send, 416, [*fields, ("Content-Range", f"bytes */{len(body)}")])
    fields.append(("Content-Range", f"bytes {first}-{last}/{len(body)}"))
    return reply(request, send, 206, fields, body[first : last + 1])


def chunked(send, body, fields=()):
    """A whole object that tells no length."""
    send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n".encode())
    send("".join(f"{name}: {value}\r\n" for name, value in fields).encode() + b"\r\n")
    for start in range(0, len(body), 10_000):
        piece = body[start : start + 10_000]
        send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
    send(b"0\r\n\r\n")
    return True
