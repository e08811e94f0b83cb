"""Writes PMTiles by the text of the specification, and compares what remote-pmtiles reads of them.

With PyPI's package pmtiles, its files are read as well, and its reader reads those written here.
"""

import gzip
import json
import os
import random
import struct
import sys

from common import FOLDER, done, equal, fail, make_old, path, run

try:
    import pmtiles.reader
    import pmtiles.tile
    import pmtiles.writer
except ImportError:
    pmtiles = None
    if os.environ.get("RANGEIO_SERVERS") == "required":
        fail("PyPI's package pmtiles is missing")


def curve(zoom):
    """The places of a zoom level along its Hilbert curve, by its definition: four smaller ones, of which two turned."""
    if zoom == 0:
        return [(0, 0)]
    smaller, side = curve(zoom - 1), 1 << (zoom - 1)
    return (
        [(y, x) for x, y in smaller]
        + [(x, y + side) for x, y in smaller]
        + [(x + side, y + side) for x, y in smaller]
        + [(2 * side - 1 - y, side - 1 - x) for x, y in smaller]
    )


def varint(number):
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    return bytes(written)


def directory(entries):
    """entries: first tile, offset, length, run length."""
    written, last = varint(len(entries)), 0
    for tile, _, _, _ in entries:
        written += varint(tile - last)
        last = tile
    written += b"".join(varint(run) for _, _, _, run in entries)
    written += b"".join(varint(length) for _, _, length, _ in entries)
    for index, (_, offset, _, _) in enumerate(entries):
        before = entries[index - 1]
        follows = index > 0 and offset == before[1] + before[2]
        written += varint(0 if follows else offset + 1)
    return written


def write(name, tiles, zooms, leaf_size, compression):
    """tiles: bytes by number; leaf_size: entries of a leaf, or none: all in the root; compression: 1 none, 2 gzip."""
    pack = (lambda data: gzip.compress(data, mtime=0)) if compression == 2 else (lambda data: data)
    data, entries, offsets = bytearray(), [], {}
    for tile in sorted(tiles):
        contents = tiles[tile]
        if contents not in offsets:
            offsets[contents] = len(data)
            data += contents
        last = entries[-1] if entries else None
        if last and last[1] == offsets[contents] and last[0] + last[3] == tile:
            entries[-1] = (last[0], last[1], last[2], last[3] + 1)
        else:
            entries.append((tile, offsets[contents], len(contents), 1))
    leaves, root = bytearray(), entries
    if leaf_size:
        root = []
        for start in range(0, len(entries), leaf_size):
            leaf = pack(directory(entries[start : start + leaf_size]))
            root.append((entries[start][0], len(leaves), len(leaf), 0))
            leaves += leaf
    metadata = pack(json.dumps({"name": name, "attribution": "© check"}).encode())
    root = pack(directory(root))
    sections, offset = b"", 127
    for section in (root, metadata, leaves, data):
        sections += struct.pack("<QQ", offset, len(section))
        offset += len(section)
    header = b"PMTiles\x03" + sections + struct.pack("<QQQ", len(tiles), len(entries), len(offsets))
    header += bytes([1, compression, 1, 1, zooms[0], zooms[-1]])
    header += struct.pack("<4i", -1_800_000_000, -850_000_000, 1_799_999_999, 850_000_000)
    header += bytes([zooms[0]]) + struct.pack("<2i", 12_345_678, -5)
    assert len(header) == 127
    with open(path(name), "wb") as file:
        file.write(header + root + metadata + leaves + data)
    make_old(name)


def first(zoom):
    return sum(4**level for level in range(zoom))


def tiles(zooms):
    """Contents by number; the sea is the same everywhere, and there are holes."""
    choose, contents = random.Random(3), {}
    for zoom in zooms:
        for index, (x, y) in enumerate(curve(zoom)):
            kind = choose.random()
            if zoom and kind < 0.2:
                continue
            sea = zoom > 1 and 0.2 <= kind < 0.6
            contents[first(zoom) + index] = b"sea" if sea else f"{zoom}/{x}/{y} ".encode() * choose.randint(1, 30)
    return contents


# Zoom levels, entries of a leaf, compression.
MAPS = {
    "small.pmtiles": (range(0, 3), None, 2),
    "plain.pmtiles": (range(0, 4), 10, 1),
    "map.pmtiles": (range(0, 9), 2000, 2),
}


def make():
    for name, (zooms, leaf_size, compression) in MAPS.items():
        write(name, tiles(zooms), zooms, leaf_size, compression)
    if pmtiles:
        with open(path("theirs.pmtiles"), "wb") as file:
            writer = pmtiles.writer.Writer(file)
            for number, contents in tiles(range(0, 8)).items():
                writer.write_tile(number, contents)
            kind, compression = pmtiles.tile.TileType.MVT, pmtiles.tile.Compression.NONE
            writer.finalize(
                {
                    "tile_type": kind, "tile_compression": compression, "min_zoom": 0, "max_zoom": 7,
                    "min_lon_e7": -1_800_000_000, "min_lat_e7": -850_000_000, "max_lon_e7": 1_799_999_999,
                    "max_lat_e7": 850_000_000, "center_zoom": 0, "center_lon_e7": 12_345_678, "center_lat_e7": -5,
                },
                {"name": "theirs"})
        make_old("theirs.pmtiles")


def check_map(name, zooms, contents):
    output, count, _ = run("remote-pmtiles", name, requests=1)
    lines = dict(line.split(": ", 1) for line in output.decode().splitlines())
    equal(lines["tiles"].split(" at ")[0], str(len(contents)), f"the tiles of {name}")
    equal(lines["zoom"], f"{zooms[0]} to {zooms[-1]}", f"the zoom levels of {name}")
    equal(lines["bounds"], "-180.0,-85.0 to 179.9999999,85.0", f"the bounds of {name}")
    equal(lines["center"], f"1.2345678,-5e-07 at zoom {zooms[0]}", f"the center of {name}")
    output, _, _ = run("remote-pmtiles", name, "metadata", requests=2)
    metadata = json.loads(output)
    equal(metadata["name"], "theirs" if name == "theirs.pmtiles" else name, f"the metadata of {name}")

    choose = random.Random(5)
    for zoom in zooms:
        places = list(enumerate(curve(zoom)))
        for index, (x, y) in choose.sample(places, min(4, len(places))):
            expected = contents.get(first(zoom) + index)
            place = f"{zoom}/{x}/{y}"
            if expected is None:
                message = run("remote-pmtiles", name, place, requests=9, fails=True)
                if f"the map has no tile {place}" not in message:
                    fail(f"the error of tile {place} of {name}: {message}")
                continue
            output, _, read = run("remote-pmtiles", name, place, requests=3)
            equal(output, expected, f"tile {place} of {name}")
            if read > 16_384 + 20_000 + len(expected):
                fail(f"tile {place} of {name} took {read} bytes")
            # Their reader takes all directories for compressed.
            if pmtiles and name != "plain.pmtiles":
                with open(path(name), "rb") as file:
                    reader = pmtiles.reader.Reader(pmtiles.reader.MmapSource(file))
                    equal(reader.get(zoom, x, y), expected, f"tile {place} of {name} by PyPI's pmtiles")


def check():
    for name, (zooms, _, _) in MAPS.items():
        check_map(name, zooms, tiles(zooms))
    if pmtiles:
        check_map("theirs.pmtiles", range(0, 8), tiles(range(0, 8)))
    for place, message in [
        ("1/2/0", "there is no tile 1/2/0"), ("1/0", "names no tile"), ("99/0/0", "there is no tile 99/0/0"),
    ]:
        found = run("remote-pmtiles", "small.pmtiles", place, requests=9, fails=True)
        if message not in found:
            fail(f"the error of tile {place}: {found}")
    done("PMTiles" if pmtiles else "PMTiles, without PyPI's package pmtiles")


if sys.argv[1:] == ["make"]:
    make()
else:
    check()
