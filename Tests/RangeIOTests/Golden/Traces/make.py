#!/usr/bin/env python3
"""Makes the trace of this folder and the tables beside it.

The trace is ours: skewed reads, loops and scans of a file of 32 MiB, from a seed. What caches hit of it is counted here by
the shortest programs that do what the papers say, which share nothing with the library; run with files of other traces,
they count those, so that they can be compared with what other simulators count:

    make.py                       writes mixed.rrt and the tables
    make.py trace.rrt blocks...   prints hits of each policy with so many blocks
"""
import sys
from collections import OrderedDict, deque
from pathlib import Path

SECTOR = 512
BLOCK = 4096


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state + 0x9E3779B97F4A7C15) & (1 << 64) - 1
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
        z = (z ^ z >> 27) * 0x94D049BB133111EB & (1 << 64) - 1
        return (z ^ z >> 31) % bound


def mixed(count, seed):
    """Requests of whole sectors: (offset, length) in bytes."""
    random = Random(seed)
    blocks = 8192
    requests = []

    def add(sector, sectors):
        end = min(sector + sectors, blocks * BLOCK // SECTOR)
        requests.append((sector * SECTOR, (end - sector) * SECTOR))

    while len(requests) < count:
        start = random.below(blocks)
        kind = random.below(8)
        if kind == 0:
            # Once through some of it, up to four blocks at a time.
            block = start
            while block < min(start + 500, blocks):
                sectors = 1 + random.below(32)
                add(block * 8 + random.below(8), sectors)
                block += 1 + sectors // 8
        elif kind == 1:
            # Round and round.
            length = 20 + random.below(300)
            for step in range(length * 3):
                add((start + step % length) % blocks * 8, 8)
        else:
            # The first blocks most, which lie anywhere.
            for _ in range(400):
                rank = blocks
                while rank >= blocks:
                    rank = (1 << random.below(14)) - 1 + random.below(1 << random.below(9))
                add(rank * 4099 % blocks * 8 + random.below(8), 1 + random.below(6))
    return requests[:count]


def encode(requests):
    """RRT1, in units of a sector."""

    def uleb(value):
        out = bytearray()
        while True:
            byte = value & 0x7F
            value >>= 7
            if not value:
                out.append(byte)
                return bytes(out)
            out.append(byte | 0x80)

    body = bytearray()
    end = 0
    for offset, length in requests:
        distance = offset // SECTOR - end
        body += uleb(distance << 1 if distance >= 0 else (-distance << 1) - 1)
        body += uleb(length // SECTOR)
        end = (offset + length) // SECTOR
    extent = max(offset + length for offset, length in requests)
    return b"RRT1" + bytes([9, 0, 0, 0]) + len(requests).to_bytes(8, "little") + extent.to_bytes(8, "little") + body


def decode(data):
    assert data[:4] == b"RRT1"
    shift = data[4]
    place = 24

    def uleb():
        nonlocal place
        value = bits = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << bits
            if byte < 0x80:
                return value
            bits += 7

    requests = []
    end = 0
    for _ in range(int.from_bytes(data[8:16], "little")):
        zigzag = uleb()
        start = end + (zigzag >> 1 if zigzag & 1 == 0 else -(zigzag + 1 >> 1))
        length = uleb()
        end = start + length
        requests.append((start << shift, length << shift))
    return requests


def accesses(requests):
    """The blocks that requests touch, in order."""
    return [
        block
        for offset, length in requests
        if length
        for block in range(offset // BLOCK, (offset + length - 1) // BLOCK + 1)
    ]


def lru(blocks, capacity):
    cache = OrderedDict()
    hits = 0
    for block in blocks:
        if block in cache:
            hits += 1
            cache.move_to_end(block)
        else:
            if len(cache) == capacity:
                cache.popitem(last=False)
            cache[block] = True
    return hits


def sieve(blocks, capacity):
    """Y. Zhang et al., NSDI '24. A list from the newest to the oldest, and a hand that goes towards the newest."""
    newer, older, visited = {}, {}, {}
    head = tail = hand = None
    hits = 0
    for block in blocks:
        if block in visited:
            hits += 1
            visited[block] = True
            continue
        if len(visited) == capacity:
            victim = hand if hand is not None else tail
            while visited[victim]:
                visited[victim] = False
                victim = newer[victim] if newer[victim] is not None else tail
            hand = newer[victim]
            before, after = newer.pop(victim), older.pop(victim)
            del visited[victim]
            if before is None:
                head = after
            else:
                older[before] = after
            if after is None:
                tail = before
            else:
                newer[after] = before
        visited[block] = False
        newer[block], older[block] = None, head
        if head is not None:
            newer[head] = block
        head = block
        if tail is None:
            tail = block
    return hits


def s3fifo(blocks, capacity):
    """J. Yang et al., SOSP '23, as libCacheSim has it: a tenth for what is new, as many remembered as the rest holds."""
    small_size = max(1, capacity // 10)
    main_size = capacity - small_size
    small, main, ghost = deque(), deque(), OrderedDict()
    count, is_small = {}, {}
    hits = 0
    is_warm = False
    for block in blocks:
        if block in count:
            hits += 1
            count[block] = min(3, count[block] + 1)
            continue
        returned = ghost.pop(block, None) is not None
        while len(count) >= capacity:
            is_warm = True
            if len(main) > main_size or not small:
                while True:
                    victim = main.popleft()
                    if count[victim] == 0:
                        del count[victim]
                        break
                    count[victim] -= 1
                    main.append(victim)
            else:
                while small:
                    victim = small.popleft()
                    if count[victim] >= 2:
                        count[victim] = 0
                        main.append(victim)
                    else:
                        del count[victim]
                        ghost[victim] = True
                        if len(ghost) > main_size:
                            ghost.popitem(last=False)
                        break
        count[block] = 0
        (main if returned or not is_warm and len(small) >= small_size else small).append(block)
    return hits


POLICIES = {"LRU": lru, "SIEVE": sieve, "S3-FIFO": s3fifo}


def write_all():
    here = Path(__file__).parent
    requests = mixed(14_000, seed=1)
    (here / "mixed.rrt").write_bytes(encode(requests))
    assert decode((here / "mixed.rrt").read_bytes()) == requests
    blocks = accesses(requests)
    unique = len(set(blocks))
    asked = sum(length for _, length in requests)
    (here / "manifest.csv").write_text(
        "name,requests,blocks4k_accesses,unique_4k_blocks,bytes_requested\n"
        f"mixed,{len(requests)},{len(blocks)},{unique},{asked}\n"
    )
    rows = ["trace,policy,size_frac,capacity_blocks,block_accesses,unique_blocks,hits"]
    for policy in ["LRU", "SIEVE", "S3-FIFO"]:
        for share in [0.01, 0.05, 0.1, 0.3]:
            capacity = round(unique * share)
            hits = POLICIES[policy](blocks, capacity)
            rows.append(f"mixed,{policy},{share},{capacity},{len(blocks)},{unique},{hits}")
    (here / "golden_4k.csv").write_text("\n".join(rows) + "\n")
    print("\n".join(rows))


if len(sys.argv) > 1:
    blocks = accesses(decode(Path(sys.argv[1]).read_bytes()))
    for capacity in map(int, sys.argv[2:]):
        print(capacity, {name: count(blocks, capacity) for name, count in POLICIES.items()}, "of", len(blocks))
else:
    write_all()
