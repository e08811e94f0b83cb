"""obstore_cost.py async|ranges URL SIZE COUNT [TASKS]: as TransportCost, with obstore."""
import asyncio
import resource
import sys
import time

from obstore.store import HTTPStore

how, url, size, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
tasks = int(sys.argv[5]) if len(sys.argv) > 5 else 32
base, name = url.rsplit("/", 1)
store = HTTPStore.from_url(base, client_options={"allow_http": True})
places = (64 << 20) // size


def check(body, start):
    view = memoryview(body)
    assert view.nbytes == size
    for offset in (0, size - 8):
        assert int.from_bytes(view[offset : offset + 8], "little") == start + offset


def starts(count):
    return [index * 7919 % places * size for index in range(count)]


async def one_by_one(count):
    """As many requests at a time as there are tasks."""
    all_starts = starts(count)

    async def work(first):
        for start in all_starts[first::tasks]:
            check(await store.get_range_async(name, start=start, length=size), start)

    await asyncio.gather(*(work(first) for first in range(tasks)))


async def batches(count):
    """Calls of get_ranges, which sends up to ten requests at a time; nothing is merged."""
    all_starts = starts(count)
    for first in range(0, count, 8 * tasks):
        batch = all_starts[first : first + 8 * tasks]
        bodies = await store.get_ranges_async(name, starts=batch, lengths=[size] * len(batch), coalesce=0)
        for body, start in zip(bodies, batch):
            check(body, start)


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main():
    run = one_by_one if how == "async" else batches
    await run(max(tasks * 4, count // 10))
    cpu, wall = used(), time.monotonic()
    await run(count)
    wall, cpu = time.monotonic() - wall, used() - cpu
    print(wall / count * 1e6, cpu / count * 1e6, size * count / wall / 1e6)


asyncio.run(main())
