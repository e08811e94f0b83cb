"""The links and the ranges of the experiments, and what is the least time that they can take."""

import random

SIZE = 1 << 30
CONNECTIONS = 8
# Milliseconds there and back, and bytes a second for each connection.
LINKS = {"near": (2, 10e6), "far": (20, 25e6), "slow": (150, 2e6)}
# The nine of `world`, called by latency and rate.
WORLD = {f"{milliseconds}x{rate}": (milliseconds, rate * 1e6) for milliseconds in (2, 20, 150) for rate in (2, 20, 200)}
ALL_LINKS = LINKS | WORLD
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
    milliseconds, rate = ALL_LINKS[link]
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


def least(groups, link):
    """Seconds that groups of ranges take at least, each of which is known once the one before it has been read:

        latency + the sum over all groups of (latency * max(1, requests / 8) + bytes / (8 * rate))

    One latency opens the connections. Any range can be split among all eight of them, and ranges can share a request: for each
    group the number of requests counts that is best. Nothing is taken for headers, nor to open more connections later."""
    milliseconds, rate = ALL_LINKS[link]
    latency = milliseconds / 1000
    return latency + sum(least_of_group(group, latency, CONNECTIONS * rate) for group in groups)


def least_of_group(group, latency, rate):
    count, gaps, end = 0, [], None
    for lower, upper in sorted(group):
        if end is not None and lower > end:
            gaps.append(lower - end)
        begin = lower if end is None else max(lower, end)
        count += max(0, upper - begin)
        end = max(begin, upper)
    # Reading over the smallest gaps first.
    requests, best = len(gaps) + 1, float("inf")
    for gap in [0, *sorted(gaps)]:
        requests, count = requests - (gap > 0), count + gap
        best = min(best, latency * max(1, requests / CONNECTIONS) + count / rate)
    return best
