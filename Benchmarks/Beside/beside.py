#!/usr/bin/env python3
"""What a stream takes from a program beside it. Both share a memory limit (a control group). The program reads 4 KiB at random
places of a file that is in the page cache; the stream reads another one, three times as large as the limit. Prints a table in
Markdown: medians.

Usage: beside.py --rangeio PROGRAM [--rounds N] [--limit MIB] [--directory DIRECTORY]
  --limit: of memory, in MiB. Default: 1024. The program's file has half of it.
  --directory: on the disk to measure; needs four times the limit. Default: the current one.

Needs root on Linux, a C compiler, and room for the files. The disk is the same for both, and so are the processors.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20


class MemoryLimit:
    """A control group for memory, of either version."""

    def __init__(self, limit):
        groups = dict(line.rstrip("\n").split(":", 2)[1:] for line in open("/proc/self/cgroup"))
        if "memory" in groups:
            folder, knob = f"/sys/fs/cgroup/memory{groups['memory']}", "memory.limit_in_bytes"
        else:
            folder, knob = "/sys/fs/cgroup", "memory.max"
        self.path = pathlib.Path(folder) / f"beside-{os.getpid()}"
        self.path.mkdir()
        (self.path / knob).write_text(str(limit))

    def enter(self):
        """Called in a process that has begun."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def end(self):
        self.path.rmdir()


def drop(path):
    """Has the page cache forget a file."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def processor_seconds():
    children = os.times()
    return children.children_user + children.children_system


def measure(options, limit, resident, large, command):
    """One round. Returns reads a second beside, the share that is still in the page cache, GB/s of the stream, and its processor
    seconds a GB."""
    for path in (resident, large):
        drop(path)
    # Twice, as pages that are used are.
    for _ in range(2):
        subprocess.run(["cat", resident], stdout=subprocess.DEVNULL, preexec_fn=limit.enter, check=True)
    beside = subprocess.Popen([options.beside, resident], stdout=subprocess.PIPE, text=True, preexec_fn=limit.enter)
    rate = cost = 0
    if command:
        before, begun = processor_seconds(), time.monotonic()
        subprocess.run(command + [large], stdout=subprocess.DEVNULL, preexec_fn=limit.enter, check=True)
        amount = os.path.getsize(large) / 1e9
        rate, cost = amount / (time.monotonic() - begun), (processor_seconds() - before) / amount
    else:
        time.sleep(3)
    beside.terminate()
    reads, held = map(float, beside.communicate()[0].split())
    return reads, held, rate, cost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rangeio", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=int, default=1024)
    parser.add_argument("--directory", default=".")
    options = parser.parse_args()
    if os.geteuid() != 0 or not os.path.exists("/sys/fs/cgroup"):
        sys.exit("beside: only root on Linux may limit the memory of others")
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        options.beside = folder + "/beside"
        subprocess.run(["cc", "-O2", "-o", options.beside, HERE / "beside.c"], check=True)
        resident, large = folder + "/resident", folder + "/large"
        piece = os.urandom(MIB)
        for path, mebibytes in ((resident, options.limit // 2), (large, options.limit * 3)):
            with open(path, "wb") as file:
                for _ in range(mebibytes):
                    file.write(piece)
                os.fsync(file.fileno())
        contenders = {
            "alone": None,
            "`cat`": ["cat"],
            "`rangeio cat`": [options.rangeio, "cat"],
            "`rangeio cat --engine direct`": [options.rangeio, "cat", "--engine", "direct"],
        }
        limit = MemoryLimit(options.limit * MIB)
        rounds = {name: [] for name in contenders}
        try:
            for _ in range(options.rounds):
                for name, command in contenders.items():
                    rounds[name].append(measure(options, limit, resident, large, command))
        finally:
            limit.end()
    alone = statistics.median(row[0] for row in rounds["alone"])
    print(f"A limit of {options.limit} MiB, a program that reads {options.limit // 2} MiB at random, a stream of {options.limit * 3} MiB:\n")
    print("| stream | reads a second beside | alone = 1 | still in the page cache | stream | processor a GB |")
    print("| :-- | --: | --: | --: | --: | --: |")
    for name, rows in rounds.items():
        reads, held, rate, cost = (statistics.median(column) for column in zip(*rows))
        stream = f"{rate:.2f} GB/s | {cost:.2f} s" if rate else "– | –"
        print(f"| {name} | {reads:,.0f} | {reads / alone:.2f} | {held:.0%} | {stream} |")


main()
