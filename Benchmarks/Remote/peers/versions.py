"""URL RANGES KIND FOLDER --versions A B --seconds N: reads ten ranges at a time of an object that alternates between the
contents of two files, and counts what they are: all of A, all of B, of both (`mixed`), and ranges of which not even one is of
one version (`torn`). A failure opens the object again."""

import argparse
import concurrent.futures
import ctypes
import http.client
import json
import threading
import time
import urllib.parse

from common import ranges

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("ranges")
parser.add_argument("kind")
parser.add_argument("folder")
parser.add_argument("--versions", nargs=2)
parser.add_argument("--seconds", type=float)
options = parser.parse_args()
wanted = ranges(options.ranges)


class Fsspec:
    def __init__(self):
        import fsspec

        self.files = fsspec.filesystem("blockcache", target_protocol="http", cache_storage=options.folder)
        self.file = self.files.open(options.url, block_size=262_144)

    def read(self, some):
        pieces = []
        for lower, upper in some:
            self.file.seek(lower)
            pieces.append(self.file.read(upper - lower))
        return pieces


class Gdal:
    def __init__(self):
        from gdal_library import gdal

        self.gdal = gdal
        self.file = gdal.VSIFOpenL(f"/vsicurl/{options.url}".encode(), b"rb")

    def read(self, some):
        pieces = []
        for lower, upper in some:
            buffer = ctypes.create_string_buffer(upper - lower)
            self.gdal.VSIFSeekL(self.file, lower, 0)
            if self.gdal.VSIFReadL(buffer, 1, upper - lower, self.file) != upper - lower:
                raise OSError("short")
            pieces.append(buffer.raw)
        return pieces


class Rclone:
    def __init__(self):
        self.url = urllib.parse.urlsplit(options.url)
        self.local = threading.local()
        self.pool = concurrent.futures.ThreadPoolExecutor(8)

    def read(self, some):
        return list(self.pool.map(self.one, some))

    def one(self, range_):
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        headers = {"Range": f"bytes={range_[0]}-{range_[1] - 1}"}
        try:
            self.local.connection.request("GET", self.url.path, headers=headers)
            answer = self.local.connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            del self.local.connection
            raise
        if answer.status != 206:
            raise OSError(str(answer.status))
        return body


def contents(path):
    with open(path, "rb") as file:
        def one(range_):
            file.seek(range_[0])
            return file.read(range_[1] - range_[0])

        return [one(range_) for range_ in wanted]


a, b = map(contents, options.versions)
seen = {"a": 0, "b": 0, "changed": 0, "mixed": 0, "torn": 0}
groups = [slice(first, first + 10) for first in range(0, len(wanted), 10)]
end, number, reader = time.monotonic() + options.seconds, 0, None
while time.monotonic() < end:
    try:
        if reader is None:
            reader = {"fsspec": Fsspec, "gdal": Gdal, "rclone": Rclone}[options.kind]()
        group = groups[number % len(groups)]
        number += 1
        pieces = reader.read(wanted[group])
    except Exception:  # Whatever a peer throws when it notices: it is asked to start again.
        seen["changed"] += 1
        reader = None
        continue
    if pieces == a[group]:
        seen["a"] += 1
    elif pieces == b[group]:
        seen["b"] += 1
    else:
        seen["mixed"] += 1
        seen["torn"] += sum(piece not in pair for piece, *pair in zip(pieces, a[group], b[group]))
print(json.dumps(seen))
