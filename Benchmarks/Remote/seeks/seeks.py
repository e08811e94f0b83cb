#!/usr/bin/env python3
"""Seeks through servers that stand before a distant object: eight viewers jump to the same 200 places, and read 1 MiB at each.
Prints, in Markdown, how soon the first 64 KiB come, and what the origin sent; once with an origin that is 20 ms away (25 MB/s a
connection), and once with one that is half a second late with 2% of its answers.

Usage: seeks.py --rangeio PROGRAM [--seeks N] [--viewers N] [--only NAME,…]
  PROGRAM: built with --traits Tool,Serve,HTTP. nginx, varnishd and rclone are left out where they are not installed.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from origin import content

HERE = pathlib.Path(__file__).resolve().parent
SIZE, RANGE, FIRST = 1 << 30, 1 << 20, 64 * 1024
DELAY, RATE = 20, 25e6


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")


def wait_for(port, server):
    while server.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.02)
    sys.exit(f"seeks: {server.args[0]} ends at once")


def start_rangeio(options, origin, folder, port):
    return [
        options.rangeio, "serve", f"http://127.0.0.1:{origin}/", "--hedge", "--listen", f"127.0.0.1:{port}",
    ], "/object"


def start_nginx(options, origin, folder, port):
    user = "user root;" if os.geteuid() == 0 else ""
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(
            f"""{user} daemon off; pid {folder}/pid; events {{ worker_connections 4096; }}
http {{ {temporary} proxy_temp_path {folder}/proxy; access_log off; keepalive_requests 1000000;
  proxy_cache_path {folder}/cache keys_zone=seeks:10m max_size=2g;
  upstream origin {{ server 127.0.0.1:{origin}; keepalive 32; }}
  server {{ listen 127.0.0.1:{port};
    location / {{ slice 1m; proxy_cache seeks; proxy_cache_key $uri$slice_range; proxy_set_header Range $slice_range;
      proxy_cache_valid 200 206 1h; proxy_cache_lock on; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_pass http://origin; }} }} }}"""
        )
    return [program("nginx"), "-p", folder, "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"], "/object"


def start_varnish(options, origin, folder, port):
    return [
        program("varnishd"), "-j", "none", "-F", "-n", folder, "-a", f"127.0.0.1:{port}", "-b", f"127.0.0.1:{origin}", "-s", "malloc,2g",
    ], "/object"


def start_rclone(options, origin, folder, port):
    return [
        program("rclone"), "serve", "http", ":http:", "--http-url", f"http://127.0.0.1:{origin}/", "--addr",
        f"127.0.0.1:{port}", "--vfs-cache-mode", "full", "--cache-dir", folder, "--config", "/dev/null",
    ], "/object"


SERVERS = {
    "rangeio serve": (start_rangeio, None),
    "nginx, `slice 1m`": (start_nginx, "nginx"),
    "Varnish": (start_varnish, "varnishd"),
    "rclone serve": (start_rclone, "rclone"),
}


async def view(port, path, places, times, together):
    """Reads at each place; `together` the viewers begin each."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4 << 20)
    for place in places:
        await together.wait()
        began = time.perf_counter()
        text = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nRange: bytes={place}-{place + RANGE - 1}\r\n\r\n"
        writer.write(text.encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first = await reader.readexactly(FIRST)
        times.append(time.perf_counter() - began)
        rest = await reader.readexactly(RANGE - FIRST)
        expected = content(place, place + RANGE)
        if first != expected[:FIRST] or rest != expected[FIRST:] or " 206 " not in head.splitlines()[0]:
            sys.exit(f"seeks: other bytes came at {place}: {head.splitlines()[0]}")
    writer.close()


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def sent(port):
    return json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/counts"))["bytes"]


async def measure(options, name, late):
    origin = subprocess.Popen(
        [sys.executable, HERE / "origin.py", str(SIZE), str(DELAY), str(RATE), str(late)], stdout=subprocess.PIPE, text=True)
    port = int(origin.stdout.readline())
    folder = tempfile.mkdtemp(prefix="rangeio-seeks-")
    server, path = None, "/object"
    place = port
    try:
        if name != "none":
            place = free_port()
            command, path = SERVERS[name][0](options, port, folder, place)
            server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_for(place, server)
        numbers = random.Random(23)
        places = [numbers.randrange(SIZE - RANGE) for _ in range(options.seeks)]
        times = []
        # What a server does once, such as looking for the object, is not measured.
        await view(place, path, [places[0]], [], asyncio.Barrier(1))
        viewers = options.viewers if server else 1
        together = asyncio.Barrier(viewers)
        await asyncio.gather(*(view(place, path, places[1:], times, together) for _ in range(viewers)))
        share = sent(port) / (options.seeks * RANGE)
    finally:
        for process in (server, origin):
            if process:
                process.terminate()
                process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return percentile(times, 0.5), percentile(times, 0.99), max(times) * 1000, share


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rangeio", required=True)
    parser.add_argument("--seeks", type=int, default=200)
    parser.add_argument("--viewers", type=int, default=8)
    parser.add_argument("--only")
    options = parser.parse_args()
    names = [name for name, (_, needed) in SERVERS.items() if needed is None or program(needed)]
    if options.only:
        names = [name for name in names if any(part in name for part in options.only.split(","))]
    print("| origin | server | first 64 KiB: median ms | 99% ms | slowest ms | origin's bytes, needed = 1 |")
    print("|---|---|---:|---:|---:|---:|")
    for title, late in (("20 ms", 0), ("2% half a second late", 0.02)):
        for name in ["none"] + names:
            median, most, slowest, share = await measure(options, name, late)
            shown = "none, one viewer" if name == "none" else name
            print(f"| {title} | {shown} | {median:.1f} | {most:.1f} | {slowest:.0f} | {share:.3f} |", flush=True)


asyncio.run(main())
