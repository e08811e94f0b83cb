"""origin.py SIZE MILLISECONDS RATE LATE: an object of SIZE bytes as /object, of which `content` tells the bytes. Each answer
begins MILLISECONDS after its request, and LATE of them (a share) half a second later; then RATE bytes a second come over a
connection. GET /counts: the requests and bytes so far. Prints its port."""

import asyncio
import json
import random
import sys

PIECE = 32 * 1024
counts = {"requests": 0, "bytes": 0}
numbers = random.Random(17)


# Bytes that repeat themselves at a distance that no block has.
PERIOD = 1_048_573
BYTES = memoryview(random.Random(29).randbytes(PERIOD) * 3)


def content(first, end):
    """The bytes of the object from `first` to `end`, at most 2 MiB."""
    return BYTES[first % PERIOD : first % PERIOD + end - first]


async def answer(writer, head):
    size, delay, rate, late = settings
    lines = head.split("\r\n")
    method, path = lines[0].split(" ")[:2]
    if path in ("/", "/counts"):
        body = json.dumps(counts) if path == "/counts" else '<a href="object">object</a>'
        kind = "application/json" if path == "/counts" else "text/html"
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        return
    fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}
    loop = asyncio.get_running_loop()
    due = loop.time() + delay + (0.5 if numbers.random() < late else 0)
    first, end, status = 0, size, "200 OK"
    if method == "GET" and fields.get("range", "").startswith("bytes="):
        begin, _, last = fields["range"][6:].partition("-")
        first, end, status = int(begin), min(int(last or size) + 1, size), "206 Partial Content"
    text = [f"HTTP/1.1 {status}", 'ETag: "seeks-1"', "Accept-Ranges: bytes", f"Content-Length: {end - first}"]
    text += ["Last-Modified: Sun, 13 Sep 2020 12:26:40 GMT", "Content-Type: application/octet-stream"]
    if status.startswith("206"):
        text.append(f"Content-Range: bytes {first}-{end - 1}/{size}")
    await asyncio.sleep(due - loop.time())
    writer.write(("\r\n".join(text) + "\r\n\r\n").encode())
    counts["requests"] += 1
    if method != "GET":
        return
    while first < end:
        piece = min(PIECE, end - first)
        due += piece / rate
        if due > loop.time():
            await asyncio.sleep(due - loop.time())
        writer.write(content(first, first + piece))
        counts["bytes"] += piece
        first += piece
        await writer.drain()


async def serve(reader, writer):
    try:
        while True:
            await answer(writer, (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    settings = int(sys.argv[1]), float(sys.argv[2]) / 1000, float(sys.argv[3]), float(sys.argv[4])
    asyncio.run(main())
