"""The links and the ranges of the experiments, and what is the least time that they can take."""

import random

SIZE = 1 << 30
CONNECTIONS = 8
# Milliseconds there and back, and bytes a second for each connection.
LINKS = {"near": (2, 10e6), "far": (20, 25e6), "slow": (150, 2e6)}
# For those who have to be told what gap to read over: latency x rate, and less. The better one counts.
GAPS = {"near": (0, 20_000), "far": (250_000, 500_000), "slow": (150_000, 300_000)}


def scattered(count, size, seed):
    """Ranges anywhere in the object, in no order."""
    numbers = random.Random(seed)
    return [(lower, lower + size) for lower in (numbers.randrange(SIZE - size) for _ in range(count))]


RANGES = {
    "scattered": scattered(1000, 4096, seed=16), "warm": scattered(1000, 65_536, seed=64),
    "first": [(0, 100)], "last": [(SIZE - 65_536, SIZE)], "tiny": scattered(100, 1024, seed=1)}


def optimum(ranges, link):
    """Seconds, requests and bytes if all connections are busy from the first moment to the last, with the cheapest spans:
    ranges share one if they are less than latency x rate apart."""
    milliseconds, rate = LINKS[link]
    gap = milliseconds / 1000 * rate
    requests, count, end = 0, 0, -1e18
    for lower, upper in sorted(ranges):
        if lower - end > gap:
            requests += 1
            count += upper - lower
            end = upper
        elif upper > end:
            count += upper - end
            end = upper
    return (requests * milliseconds / 1000 + count / rate) / CONNECTIONS, requests, count
