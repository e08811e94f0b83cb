#!/usr/bin/env python3
"""Names the cache lines that two tasks write which read different blocks: on two cores these are what they fight for.

    shared-lines.py PROGRAM WORKLOAD [CONTENDER] [--directory FOLDER] [--part BLOCKS] [--batches N] [--show N] [--most N]

Two tasks do the same work one after the other, each on a thread of its own and between marks, below valgrind's lackey, which
records every access to memory: no clock and no chance is in it. Stacks and what threads keep for themselves do not count. A batch
is 64 reads; they are chosen at random from --part blocks of each task. Prints the lines that both wrote, those first that are
written most often, and the functions that did; at the end how many there are, and how many one task wrote and the other read. Fails if more than --most are written.
"""

import argparse
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict

LINE = 64


def symbols(program):
    """Where functions and variables begin in the program's file, and their names."""
    named = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True).stdout
    pairs = sorted((int(f[0], 16), f[2]) for f in map(str.split, named.splitlines()) if len(f) == 3 and f[1] in "tTwWbBdDrRV")
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def demangled(names):
    tool = shutil.which("swift-demangle")
    if not tool or not names:
        return dict(zip(names, names))
    text = subprocess.run([tool, "--simplified"], input="\n".join(names), capture_output=True, text=True).stdout
    return dict(zip(names, text.splitlines()))


class Space:
    """The address space of the process, as /proc/PID/maps has it."""

    def __init__(self, text, program):
        self.areas, self.base, self.program = [], None, os.path.basename(program)
        self.starts, self.names = symbols(program)
        guard = None
        for start, end, rights, name in re.findall(r"^(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)$", text, re.M):
            start, end = int(start, 16), int(end, 16)
            # A thread's stack lies above a page that nobody may touch, and what it keeps for itself is on top of it.
            if rights.startswith("rw") and guard == start and not name:
                name = "stack"
            if os.path.basename(name) == self.program and self.base is None:
                self.base = start
            self.areas.append((start, end, name))
            guard = end if rights.startswith("---") and end - start <= 65536 else None

    def area(self, address):
        return next((name for start, end, name in self.areas if start <= address < end), "")

    def symbol(self, address):
        name = self.area(address)
        if os.path.basename(name) != self.program:
            return os.path.basename(name) or "heap"
        index = bisect.bisect_right(self.starts, address - self.base) - 1
        return self.names[index] if index >= 0 else self.program


def record(command):
    """What both phases wrote and read: line to counted instructions, and the map of the address space."""
    told = []
    reading, writing = os.pipe()
    process = subprocess.Popen(
        ["valgrind", "--tool=lackey", "--trace-mem=yes", "--fair-sched=yes", f"--log-fd={writing}", *command],
        stdout=subprocess.PIPE, text=True, pass_fds=[writing])
    os.close(writing)
    listener = threading.Thread(target=lambda: told.extend(process.stdout))
    listener.start()
    wrote, read = [defaultdict(Counter), defaultdict(Counter)], [defaultdict(Counter), defaultdict(Counter)]
    marks, phase, instruction, maps = None, None, 0, ""
    with os.fdopen(reading, "rb", buffering=1 << 20) as trace:
        for line in trace:
            kind = line[:2]
            if phase is None:
                # Only marks are of interest here, and most of the record is this.
                if kind not in (b" S", b" M"):
                    continue
            elif kind == b"I ":
                instruction = line
                continue
            if kind not in (b" S", b" M", b" L"):
                continue
            address, _, size = line[3:].partition(b",")
            address = int(address, 16)
            if marks is None and told and told[0].startswith("marks "):
                marks = {int(told[0].split()[1]) + 128 * index: (0, None, 1, None)[index] for index in range(4)}
            if marks and address in marks and kind != b" L":
                phase = marks[address]
                if not maps:
                    with open(f"/proc/{process.pid}/maps") as file:
                        maps = file.read()
            elif phase is not None:
                for place in range(address // LINE, (address + int(size) - 1) // LINE + 1):
                    (read if kind == b" L" else wrote)[phase][place][instruction] += 1
    listener.join()
    if process.wait() != 0 or not (wrote[0] and wrote[1]):
        sys.exit("shared-lines: the program failed below valgrind, or its marks were not seen")
    return wrote, read, maps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("work", nargs="+", metavar="WORKLOAD [CONTENDER]")
    parser.add_argument("--directory", default=os.path.join(tempfile.gettempdir(), "bench-data"))
    parser.add_argument("--part", default="8")
    parser.add_argument("--batches", default="4")
    parser.add_argument("--store", default="8", help="the limit of stores that evict, in MiB")
    parser.add_argument("--show", type=int, default=40, help="print so many lines at most")
    parser.add_argument("--most", type=int, help="fail if there are more lines")
    asked = parser.parse_args()
    options = ["--directory", asked.directory, "--part", asked.part, "--store", asked.store, "--batches"]
    # Makes the files, without the recorder.
    subprocess.run([asked.program, "lines", *asked.work, *options, "0"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        # Some versions of valgrind hang over the debug information of younger compilers.
        program = os.path.join(folder, os.path.basename(asked.program))
        subprocess.run(["strip", "-g", "-o", program, asked.program], check=True)
        wrote, read, maps = record([program, "lines", *asked.work, *options, asked.batches])
        space = Space(maps, program)
    private = lambda place: "stack" in space.area(place * LINE)
    shared = sorted(place for place in wrote[0].keys() & wrote[1].keys() if not private(place))
    seen = {place for one, other in ((0, 1), (1, 0)) for place in wrote[one].keys() & read[other].keys() if not private(place)}
    writers = [[Counter() for _ in shared], [Counter() for _ in shared]]
    for phase in (0, 1):
        for index, place in enumerate(shared):
            for instruction, count in wrote[phase][place].items():
                writers[phase][index][space.symbol(int(instruction[3:].split(b",")[0], 16))] += count
    plain = demangled(sorted({name for phase in writers for counter in phase for name in counter}))
    often = sorted(range(len(shared)), key=lambda index: -min(sum(phase[index].values()) for phase in writers))
    for index in often[: asked.show]:
        place = shared[index]
        counts = [sum(writers[phase][index].values()) for phase in (0, 1)]
        names = [name for name, _ in (writers[0][index] + writers[1][index]).most_common(3)]
        print(f"{place * LINE:#x} {space.symbol(place * LINE)}: written {counts[0]} and {counts[1]} times, by "
              + "; ".join(plain[name] for name in names))
    print(f"{' '.join(asked.work)}: {len(shared)} lines are written by both tasks, {len(seen - set(shared))} more by one and read "
          f"by the other, in {64 * int(asked.batches)} reads of each")
    if asked.most is not None and len(shared) > asked.most:
        sys.exit(f"shared-lines: more than {asked.most}")


main()
