#!/usr/bin/env python3
"""A fleet on one machine: an origin that is 20 ms away, memcached, and four `rangeio serve`. Runs one trace with no cache, with
memory, with memory and a disk, and with memcached besides, and restarts all four in the middle. Prints what the origin sent and
what reads took, draws it, and fails if a byte is wrong or a read fails.

Usage: fleet.py [--rangeio PROGRAM] [--blocks N] [--reads N] [--processes N] [--delay MS] [--plot FILE] [--faults]
  --rangeio: built with --traits Tool,Serve,HTTP,SharedCache. Default: .build/release/rangeio of this repository.
  --faults: also kills one of two nodes of memcached and stops the other (SIGSTOP) while reads go on.

Needs Python 3.9 and memcached.
"""

import argparse
import asyncio
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from origin import BLOCK, Origin
from plot import write_plot

HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Memcached:
    def __init__(self):
        self.port = free_port()
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        command = ["memcached", "-l", "127.0.0.1", "-p", str(self.port), "-m", "512", "-I", "2m", "-t", "2"] + user
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.01)

    def stop(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


class Node:
    """One process of the fleet."""

    def __init__(self, program, arguments):
        self.process = subprocess.Popen(
            [program, "serve", *arguments, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True
        )
        line = self.process.stderr.readline()
        if " at http://" not in line:
            sys.exit(f"fleet: rangeio does not serve: {line.strip()}")
        self.port = int(line.rsplit(":", 1)[1].strip().rstrip("/"))

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)

    async def read(self, block):
        """Reads a block, compares it, and returns how long that took."""
        began = time.perf_counter()
        first = block * BLOCK
        self.writer.write(
            f"GET /object HTTP/1.1\r\nHost: localhost\r\nRange: bytes={first}-{first + BLOCK - 1}\r\n\r\n".encode()
        )
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        body = await self.reader.readexactly(int(fields["content-length"]))
        took = time.perf_counter() - began
        if not head.startswith("HTTP/1.1 206") or body != block.to_bytes(8, "little") * (BLOCK // 8):
            sys.exit(f"fleet: block {block} is wrong: {head.splitlines()[0]}")
        return took

    async def stop(self):
        self.writer.close()
        self.process.terminate()
        await asyncio.get_running_loop().run_in_executor(None, self.process.wait)
        self.process.stderr.close()


def trace(blocks, reads, seed):
    """Blocks as users ask for them: a few often, many seldom (Zipf, exponent 0.9)."""
    source = random.Random(seed)
    weights = [1 / (rank + 1) ** 0.9 for rank in range(blocks)]
    order = list(range(blocks))
    random.Random(1).shuffle(order)
    return [order[rank] for rank in source.choices(range(blocks), weights, k=reads)]


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


class Fleet:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.nodes = []

    async def start(self, url, arguments):
        for index in range(self.options.processes):
            own = [a.replace("{index}", str(index)) for a in arguments]
            self.nodes.append(Node(self.options.rangeio, [url, *own]))
        for node in self.nodes:
            await node.connect()

    async def stop(self):
        await asyncio.gather(*(node.stop() for node in self.nodes))
        self.nodes = []

    async def run(self, traces):
        """Each process reads its trace, all at the same time. Returns how long each read took."""

        async def one(node, blocks):
            return [await node.read(block) for block in blocks]

        times = await asyncio.gather(*(one(node, blocks) for node, blocks in zip(self.nodes, traces)))
        return [time for part in times for time in part]


async def measure(options, name, arguments, folder):
    """Runs the trace, restarts all processes, and runs it again."""
    origin = Origin(options.blocks, options.delay / 1000)
    url = f"http://127.0.0.1:{await origin.start()}/"
    fleet = Fleet(options, folder)
    rows = []
    for phase in ["first", "restarted"]:
        sent, requests = origin.bytes, origin.requests
        await fleet.start(url, arguments)
        traces = [trace(options.blocks, options.reads, seed) for seed in range(options.processes)]
        times = await fleet.run(traces)
        await fleet.stop()
        rows.append(
            {
                "name": name, "phase": phase, "reads": len(times), "bytes": origin.bytes - sent,
                "requests": origin.requests - requests, "most": max(origin.times),
                "p50": percentile(times, 0.5), "p99": percentile(times, 0.99),
            }
        )
    origin.server.close()
    return rows


async def hot_blocks(options, nodes):
    """Every process reads every block; then all are restarted and do so again."""
    origin = Origin(options.blocks, options.delay / 1000)
    url = f"http://127.0.0.1:{await origin.start()}/"
    fleet = Fleet(options, None)
    arguments = ["--memory", "256MiB", "--compressed", "0", "--shared", nodes]
    sent = []
    for _ in range(2):
        before = origin.bytes
        await fleet.start(url, arguments)
        orders = [random.Random(seed).sample(range(options.blocks), options.blocks) for seed in range(options.processes)]
        await fleet.run(orders)
        await fleet.stop()
        sent.append(origin.bytes - before)
    once = sum(1 for count in origin.times if count == 1)
    print(f"\n{options.processes} processes, {options.blocks} blocks of 64 KiB, each process reads all of them:")
    print(f"  the origin sent {sent[0] / (options.blocks * BLOCK):.3f} times their bytes; {once} blocks once, at most {max(origin.times)} times")
    print(f"  after all processes were restarted it sent {sent[1]} bytes")
    origin.server.close()


async def faults(options):
    """Reads go on while one node of memcached is killed and the other one stopped. The same reads without any cache, before."""
    every = list(range(options.blocks))
    traces = [random.Random(seed).choices(every, k=options.reads) for seed in range(options.processes)]
    origin = Origin(options.blocks, options.delay / 1000)
    fleet = Fleet(options, None)
    await fleet.start(f"http://127.0.0.1:{await origin.start()}/", ["--memory", "0", "--compressed", "0"])
    # The first reads open the object.
    await fleet.run([every[:10]] * options.processes)
    plain = await fleet.run(traces)
    await fleet.stop()
    origin.server.close()

    engines = [Memcached(), Memcached()]
    nodes = "memcached://" + ",".join(f"127.0.0.1:{engine.port}" for engine in engines)
    origin = Origin(options.blocks, options.delay / 1000)
    url = f"http://127.0.0.1:{await origin.start()}/"
    fleet = Fleet(options, None)
    # No memory to speak of, so that every read asks the nodes.
    await fleet.start(url, ["--memory", "1MiB", "--compressed", "0", "--shared", nodes])
    await fleet.run([every] * options.processes)

    async def during():
        await asyncio.sleep(0.3)
        engines[0].process.kill()
        await asyncio.sleep(0.3)
        engines[1].process.send_signal(signal.SIGSTOP)

    trouble = asyncio.create_task(during())
    times = await fleet.run(traces)
    await trouble
    await fleet.stop()
    for engine in engines:
        engine.stop()
    origin.server.close()
    print(f"\nOne node killed and one stopped (SIGSTOP) under load: {len(times)} reads, none failed; the origin is {options.delay} ms away")
    for name, taken in [("so", times), ("without any cache", plain)]:
        print(f"  {name}: median {percentile(taken, 0.5):.1f} ms, 99% within {percentile(taken, 0.99):.1f} ms, slowest {max(taken) * 1000:.1f} ms")


def table(rows):
    print(f"{'':24}{'':10} {'origin MB':>10} {'requests':>9} {'median ms':>10} {'99% ms':>8}")
    for row in rows:
        print(
            f"{row['name']:24}{row['phase']:10} {row['bytes'] / 1e6:10.1f} {row['requests']:9} {row['p50']:10.2f} {row['p99']:8.1f}"
        )


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rangeio", default=str(HERE.parent.parent / ".build/release/rangeio"))
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--reads", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--delay", type=float, default=20)
    parser.add_argument("--plot", default="fleet.svg")
    parser.add_argument("--faults", action="store_true")
    options = parser.parse_args()
    if not shutil.which("memcached"):
        sys.exit("fleet: install memcached first")
    if not os.access(options.rangeio, os.X_OK):
        sys.exit("fleet: build the tool first: swift build -c release --product rangeio --traits Tool,Serve,HTTP,SharedCache")
    folder = tempfile.mkdtemp(prefix="rangeio-fleet-")
    memory = ["--memory", "16MiB", "--compressed", "0"]
    disk = ["--spill", folder + "/disk-{index}", "--spill-limit", "1GiB"]
    engine = Memcached()
    try:
        rows = []
        rows += await measure(options, "no cache", ["--memory", "0", "--compressed", "0"], folder)
        rows += await measure(options, "memory", memory, folder)
        rows += await measure(options, "memory, disk", memory + disk, folder)
        shutil.rmtree(folder)
        os.mkdir(folder)
        shared = f"memcached://127.0.0.1:{engine.port}"
        rows += await measure(options, "memory, disk, shared", memory + disk + ["--shared", shared], folder)
        table(rows)
        write_plot(rows, options.plot)
        engine.stop()
        engine = Memcached()
        await hot_blocks(options, f"memcached://127.0.0.1:{engine.port}")
        if options.faults:
            await faults(options)
    finally:
        engine.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main())
