"""URL RANGES OUTPUT MODE: `default` and a gap in bytes use get_ranges, which has ten requests under way whatever it is
told; `eight:GAP` merges by itself and has eight; `in-turn` reads one after the other, `tasks` each by a task of its own.
`stream` is one request for an object from its start; `parts` reads at most 8 MiB at a time, eight times at once."""

import asyncio
import sys

from common import cut, groups, in_parts, measured, merged, ranges, written

import obstore
from obstore.store import HTTPStore

url, wanted, output, mode = sys.argv[1], ranges(sys.argv[2]), sys.argv[3], sys.argv[4]
base, _, name = url.rpartition("/")


def stream(client):
    if mode == "stream":
        return written(obstore.get(client, name).stream(min_chunk_size=1 << 20), output)
    return in_parts(wanted, lambda lower, upper: obstore.get_range(client, name, start=lower, end=upper), output)


def store():
    return HTTPStore(base, client_options={"allow_http": True, "timeout": "300s"})


async def eight(gap):
    spans, limit, client = merged(wanted, gap), asyncio.Semaphore(8), store()

    async def one(span):
        async with limit:
            return await obstore.get_range_async(client, name, start=span[0], end=span[1])

    return cut(wanted, spans, await asyncio.gather(*map(one, spans)))


async def tasks():
    client = store()
    return await asyncio.gather(
        *(obstore.get_range_async(client, name, start=lower, end=upper) for lower, upper in wanted))


def read():
    if mode == "tasks":
        return asyncio.run(tasks())
    if mode == "in-turn":
        client = store()
        return [obstore.get_range(client, name, start=lower, end=upper) for lower, upper in wanted]
    if mode.startswith("eight:"):
        return asyncio.run(eight(int(mode[6:])))
    client = store()
    if mode in ("stream", "parts"):
        return stream(client)
    options = {} if mode == "default" else {"coalesce": int(mode)}
    pieces = []
    for group in groups(sys.argv[2]):
        starts, ends = zip(*group)
        pieces += obstore.get_ranges(client, name, starts=starts, ends=ends, **options)
    return pieces


measured(read, output)
