"""URL RANGES OUTPUT MODE: GDAL's /vsicurl by its C interface. `multi` is VSIFReadMultiRangeL with eight ranges a call, since
it opens a connection for each; `threads` reads with eight threads, each through a file of its own; `stream` reads an object from
its start with /vsicurl_streaming."""

import concurrent.futures
import ctypes
import sys
import threading

from common import groups, measured, ranges, written
from gdal_library import gdal

url, wanted, output, mode = sys.argv[1], ranges(sys.argv[2]), sys.argv[3], sys.argv[4]
name = f"/vsicurl/{url}".encode()


def multi():
    file = gdal.VSIFOpenL(name, b"rb")
    assert file, "GDAL does not open it"
    pieces = []
    for some in (group[first : first + 8] for group in groups(sys.argv[2]) for first in range(0, len(group), 8)):
        buffers = [ctypes.create_string_buffer(upper - lower) for lower, upper in some]
        count = len(some)
        failed = gdal.VSIFReadMultiRangeL(
            count, (ctypes.c_void_p * count)(*[ctypes.addressof(buffer) for buffer in buffers]),
            (ctypes.c_uint64 * count)(*[lower for lower, _ in some]),
            (ctypes.c_size_t * count)(*[upper - lower for lower, upper in some]), file)
        assert failed == 0, "GDAL could not read"
        pieces += [buffer.raw for buffer in buffers]
    return pieces


def threads():
    local = threading.local()

    def one(range_):
        if not hasattr(local, "file"):
            local.file = gdal.VSIFOpenL(name, b"rb")
        lower, upper = range_
        buffer = ctypes.create_string_buffer(upper - lower)
        gdal.VSIFSeekL(local.file, lower, 0)
        assert gdal.VSIFReadL(buffer, 1, upper - lower, local.file) == upper - lower
        return buffer.raw

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, wanted))


def stream():
    file = gdal.VSIFOpenL(name.replace(b"/vsicurl/", b"/vsicurl_streaming/"), b"rb")
    assert file, "GDAL does not open it"
    buffer = ctypes.create_string_buffer(1 << 20)
    whole = memoryview(buffer)

    def chunks():
        while count := gdal.VSIFReadL(buffer, 1, len(buffer), file):
            yield whole[:count]

    written(chunks(), output)


measured({"multi": multi, "threads": threads, "stream": stream}[mode], output)
