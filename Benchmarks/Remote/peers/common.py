"""What the programs of the peers share: ranges in, bytes and figures out, as the program of RangeIO does it."""

import json
import resource
import sys
import time


def ranges(path):
    with open(path) as file:
        return [tuple(map(int, line.split())) for line in file]


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
    """Runs `read`, and prints what it took. Its bytes are written when the clock has stopped."""
    start = time.monotonic()
    pieces = read()
    wall = time.monotonic() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    with open(output, "wb") as file:
        for piece in pieces:
            file.write(piece)
    unit = 1 if sys.platform == "darwin" else 1024
    print(json.dumps({"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss * unit}))
