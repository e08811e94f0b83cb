"""Answers each range of 4 KiB and more on 127.0.0.1 but for its last byte, and stands still. Prints its port.

Each number of 64 bits in the object is its own offset.
"""
import array
import asyncio
import re


async def serve(reader, writer):
    while True:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionError):
            return writer.close()
        fields = "ETag: \"1\"\r\nAccept-Ranges: bytes\r\nContent-Type: application/octet-stream\r\n"
        if head.startswith("HEAD"):
            writer.write(f"HTTP/1.1 200 OK\r\n{fields}Content-Length: {1 << 30}\r\n\r\n".encode())
            continue
        first, last = map(int, re.search(r"(?i)range: bytes=(\d+)-(\d+)", head).groups())
        writer.write(
            f"HTTP/1.1 206 Partial Content\r\n{fields}Content-Range: bytes {first}-{last}/{1 << 30}\r\n"
            f"Content-Length: {last - first + 1}\r\n\r\n".encode()
        )
        body = array.array("q", range(first, last + 1, 8)).tobytes()
        writer.write(body if len(body) < 4096 else body[:-1])


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
