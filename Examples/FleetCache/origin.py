"""An origin: one object behind HTTP, each answer late by a round trip. Counts what it sends, for each block."""

import asyncio
import sys

BLOCK = 64 * 1024


class Origin:
    """Serves `count` blocks as /object, `delay` seconds late."""

    def __init__(self, count, delay):
        self.size = count * BLOCK
        self.delay = delay
        self.requests = 0
        self.bytes = 0
        self.times = [0] * count

    def content(self, first, last):
        """The bytes from `first` to `last`: each block is full of its own number."""
        parts = []
        while first <= last:
            block = first // BLOCK
            end = min(last, (block + 1) * BLOCK - 1)
            number = block.to_bytes(8, "little")
            start = first % 8
            count = end - first + 1
            parts.append((number * (count // 8 + 2))[start : start + count])
            first = end + 1
        return b"".join(parts)

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                lines = head.split("\r\n")
                method = lines[0].split(" ")[0]
                fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}
                await asyncio.sleep(self.delay)
                first, last, status = 0, self.size - 1, "200 OK"
                if method == "GET" and fields.get("range", "").startswith("bytes="):
                    begin, _, end = fields["range"][6:].partition("-")
                    first, last, status = int(begin), min(int(end or last), last), "206 Partial Content"
                answer = [f"HTTP/1.1 {status}", 'ETag: "fleet-1"', "Accept-Ranges: bytes", f"Content-Length: {last - first + 1}"]
                if status.startswith("206"):
                    answer.append(f"Content-Range: bytes {first}-{last}/{self.size}")
                writer.write(("\r\n".join(answer) + "\r\n\r\n").encode())
                self.requests += 1
                if method == "GET":
                    self.bytes += last - first + 1
                    for block in range(first // BLOCK, last // BLOCK + 1):
                        self.times[block] += 1
                    writer.write(self.content(first, last))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def start(self):
        """Listens on a free port of 127.0.0.1, which it returns."""
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]


if __name__ == "__main__":
    print("run fleet.py instead", file=sys.stderr)
    sys.exit(2)
