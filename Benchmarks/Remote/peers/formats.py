"""URL WHAT OUTPUT MODE: other people's readers of a format over other people's readers of HTTP.

`zip:fsspec`, `zip:obstore` and `zip:gdal` list an archive and extract the entries that WHAT names, a line each; the output is all
names, a line each, and then what was extracted. `parquet:fsspec`, `parquet:obstore` and `parquet:duckdb` read the column that
WHAT names, of 64-bit integers; the output is its values."""

import ctypes
import sys

from common import measured

url, output, mode = sys.argv[1], sys.argv[3], sys.argv[4]
with open(sys.argv[2]) as file:
    names = file.read().splitlines()
kind, _, client = mode.partition(":")

# What is loaded and started before the clock is.
if client == "fsspec":
    import aiohttp
    import fsspec

    def opened():
        return fsspec.filesystem("http").open(url)

elif client == "obstore":
    from obstore.fsspec import FsspecStore

    def opened():
        return FsspecStore("http", client_options={"allow_http": True, "timeout": "300s"}).open(url)

elif client == "gdal":
    from gdal_library import gdal

    gdal.VSIReadDirRecursive.restype = ctypes.POINTER(ctypes.c_char_p)
    gdal.VSIReadDirRecursive.argtypes = [ctypes.c_char_p]
else:
    import os

    import duckdb
    import duckdb_extension_httpfs

    folder = os.path.join(os.path.dirname(duckdb_extension_httpfs.__file__), "extensions", f"v{duckdb.__version__}")
    database = duckdb.connect()
    database.execute(f"LOAD '{folder}/httpfs.duckdb_extension'")
if kind == "zip":
    import zipfile
elif client != "duckdb":
    import numpy
    import pyarrow.parquet


def zip_by_python():
    archive = zipfile.ZipFile(opened())
    return listed(archive.namelist(), (archive.read(name) for name in names))


def zip_by_gdal():
    root = f"/vsizip//vsicurl/{url}"
    found, number, list_ = [], 0, gdal.VSIReadDirRecursive(root.encode())
    while list_[number]:
        found.append(list_[number].decode())
        number += 1
    return listed((name for name in found if not name.endswith("/")), map(lambda name: whole(f"{root}/{name}"), names))


def whole(name):
    file = gdal.VSIFOpenL(name.encode(), b"rb")
    assert file, "GDAL does not open it"
    pieces, buffer = [], ctypes.create_string_buffer(1 << 20)
    while count := gdal.VSIFReadL(buffer, 1, len(buffer), file):
        pieces.append(buffer.raw[:count])
    return b"".join(pieces)


def listed(names, contents):
    return ["".join(f"{name}\n" for name in sorted(names)).encode(), *contents]


def parquet():
    if client == "duckdb":
        return [database.execute(f"SELECT {names[0]} FROM read_parquet('{url}')").fetchnumpy()[names[0]].tobytes()]
    table = pyarrow.parquet.read_table(opened(), columns=names)
    return [numpy.asarray(chunk).tobytes() for chunk in table.column(0).chunks]


measured(parquet if kind == "parquet" else zip_by_gdal if client == "gdal" else zip_by_python, output)
