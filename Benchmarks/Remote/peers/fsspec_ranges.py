"""URL RANGES OUTPUT MODE: `default` uses cat_ranges; a gap in bytes merges by fsspec's merge_offset_ranges before it,
since cat_ranges over HTTP takes no gap; `tasks` reads each by a task of its own; `stream` is get_file; `blockcache:DIRECTORY` reads through fsspec's cache on a disk."""

import asyncio
import sys

from common import cut, measured, ranges

import aiohttp
import fsspec
from fsspec.utils import merge_offset_ranges

url, wanted, output, mode = sys.argv[1], ranges(sys.argv[2]), sys.argv[3], sys.argv[4]


async def client(**options):
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=8), **options)


def cat(gap):
    files = fsspec.filesystem("http", get_client=client)
    starts, ends = [lower for lower, _ in wanted], [upper for _, upper in wanted]
    if gap is None:
        return files.cat_ranges([url] * len(wanted), starts, ends, on_error="raise")
    _, lower, upper = merge_offset_ranges([url] * len(wanted), starts, ends, max_gap=gap)
    spans = [[start, end, []] for start, end in zip(lower, upper)]
    last = 0
    for number in sorted(range(len(wanted)), key=lambda number: wanted[number]):
        while spans[last][1] < wanted[number][1]:
            last += 1
        spans[last][2].append(number)
    bodies = files.cat_ranges([url] * len(spans), lower, upper, on_error="raise")
    return cut(wanted, spans, bodies)


def through_cache(directory):
    files = fsspec.filesystem(
        "blockcache", target_protocol="http", target_options={"get_client": client}, cache_storage=directory)
    with files.open(url, block_size=262_144) as file:
        pieces = []
        for lower, upper in wanted:
            file.seek(lower)
            pieces.append(file.read(upper - lower))
    files.save_cache()
    return pieces


async def tasks():
    files = fsspec.filesystem("http", asynchronous=True, get_client=client)
    session = await files.set_session()
    pieces = await asyncio.gather(*(files._cat_file(url, start=lower, end=upper) for lower, upper in wanted))
    await session.close()
    return pieces


def read():
    if mode == "tasks":
        return asyncio.run(tasks())
    if mode == "stream":
        return fsspec.filesystem("http", get_client=client).get_file(url, output)
    if mode.startswith("blockcache:"):
        return through_cache(mode[len("blockcache:") :])
    return cat(None if mode == "default" else int(mode))


measured(read, output)
