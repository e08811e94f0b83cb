"""What the programs of the peers share: ranges in, bytes and figures out, as the program of RangeIO does it."""

import concurrent.futures
import json
import os
import resource
import sys
import time

LONGEST_PART = 8 << 20


def groups(path):
    """Groups of ranges, with an empty line between two: each is read once the one before it has been."""
    with open(path) as file:
        return [[tuple(map(int, line.split())) for line in group.splitlines()] for group in file.read().split("\n\n")]


def ranges(path):
    return [one for group in groups(path) for one in group]


def in_parts(wanted, read, output):
    """Reads one long range in parts of at most 8 MiB, eight at once, by threads: `read` takes the bounds of a part."""
    (lower, upper), = wanted
    length = min(LONGEST_PART, -(-(upper - lower) // 8))
    with open(output, "wb") as file, concurrent.futures.ThreadPoolExecutor(8) as pool:

        def one(start):
            os.pwrite(file.fileno(), read(start, min(upper, start + length)), start - lower)

        list(pool.map(one, range(lower, upper, length)))


def written(chunks, output):
    with open(output, "wb") as file:
        for chunk in chunks:
            file.write(chunk)


def merged(wanted, gap):
    """The spans of ranges that are at most `gap` apart, each with the numbers of its ranges."""
    spans = []
    for number in sorted(range(len(wanted)), key=lambda number: wanted[number]):
        lower, upper = wanted[number]
        if spans and lower - spans[-1][1] <= gap:
            spans[-1][1] = max(spans[-1][1], upper)
            spans[-1][2].append(number)
        else:
            spans.append([lower, upper, [number]])
    return spans


def cut(wanted, spans, bodies):
    pieces = [None] * len(wanted)
    for (start, _, numbers), body in zip(spans, bodies):
        view = memoryview(body)
        for number in numbers:
            lower, upper = wanted[number]
            pieces[number] = bytes(view[lower - start : upper - start])
    return pieces


def measured(read, output):
    """Runs `read`, and prints what it took. Its bytes are written when the clock has stopped; it returns none if it has
    written them itself."""
    start = time.monotonic()
    pieces = read()
    wall = time.monotonic() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    if pieces is not None:
        written(pieces, output)
    unit = 1 if sys.platform == "darwin" else 1024
    print(json.dumps({"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss * unit}))
