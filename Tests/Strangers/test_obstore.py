"""What obstore's tests ask of a store that is read, with `HTTPStore` over `rangeio serve`. Named after them: its packages have none."""

import asyncio
from datetime import datetime, timezone

import obstore as obs
import pytest
from obstore.exceptions import NotModifiedError, PreconditionError
from obstore.store import HTTPStore

import rangeio

NOT_APPLICABLE = {
    "test_list*": "HTTPStore lists by WebDAV (PROPFIND), which the server does not speak",
    "test_list_with_delimiter*": "the same",
    "test_put*": "writes", "test_delete*": "writes", "test_copy": "writes", "test_rename": "writes",
    "test_writable_file_*": "writes", "test_attributes": "writes",
    "test_sign*": "asks no server", "test_from_url*": "asks no server", "test_bytes*": "asks no server",
}
FOX = b"the quick brown fox jumps over the lazy dog,"
LINE = b"the quick brown fox jumps over the lazy dog\n"
NAMES = ["café.txt", "ümlaut.txt", "こんにちは世界.txt", "你好世界.txt", "a b.txt", "a%20b.txt", "plus+and&.txt"]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("obstore")
    rangeio.write(folder, "big-data.txt", FOX * 5000)
    rangeio.write(folder, "lines.txt", LINE * 5000)
    rangeio.write(folder, "greeting.txt", b"Hello, World!")
    rangeio.write(folder, "sized.bin", b"x" * 1000)
    rangeio.write(folder, "empty.bin")
    for name in NAMES:
        rangeio.write(folder, name, name.encode())
    with rangeio.Serve(folder) as server:
        yield server.settle("big-data.txt", "greeting.txt")


@pytest.fixture(scope="module")
def store(served):
    return HTTPStore.from_url(served.base, client_options={"allow_http": True})


def test_stream_sync(store):
    data, pos = FOX * 5000, 0
    for chunk in obs.get(store, "big-data.txt").stream(min_chunk_size=0):
        assert chunk == data[pos : pos + len(chunk)]
        pos += len(chunk)
    assert pos == len(data)


def test_stream_async(store):
    async def run():
        data, pos = FOX * 5000, 0
        async for chunk in (await obs.get_async(store, "big-data.txt")).stream(min_chunk_size=0):
            assert chunk == data[pos : pos + len(chunk)]
            pos += len(chunk)
        assert pos == len(data)

    asyncio.run(run())


def test_stream_min_chunk_size(store):
    chunks = [bytes(chunk) for chunk in obs.get(store, "big-data.txt").stream(min_chunk_size=50_000)]
    assert b"".join(chunks) == FOX * 5000 and all(len(chunk) >= 50_000 for chunk in chunks[:-1])


@pytest.mark.parametrize("wanted", [(5, 10), [5, 10]])
def test_get_with_options(store, wanted):
    result = obs.get(store, "big-data.txt", options={"range": wanted})
    assert result.range == (5, 10) and result.bytes() == (FOX * 2)[5:10]


def test_get_with_options_offset(store):
    result = obs.get(store, "big-data.txt", options={"range": {"offset": 100}})
    assert result.range == (100, 220_000) and result.bytes() == (FOX * 5000)[100:]


def test_get_with_options_suffix(store):
    result = obs.get(store, "big-data.txt", options={"range": {"suffix": 100}})
    assert result.range == (219_900, 220_000) and result.bytes() == (FOX * 5000)[-100:]


def test_get_range(store):
    assert memoryview(obs.get_range(store, "big-data.txt", start=5, end=15)) == FOX[5:15]
    assert memoryview(obs.get_range(store, "big-data.txt", start=5, length=10)) == FOX[5:15]


def test_get_range_past_end(store):
    """Cut at the end where a part of it is there, an error where nothing is."""
    assert memoryview(obs.get_range(store, "greeting.txt", start=7, end=99)) == b"World!"
    with pytest.raises(Exception, match="(?i)range|416"):
        obs.get_range(store, "greeting.txt", start=13, end=20)


def test_get_range_async(store):
    async def run():
        assert memoryview(await obs.get_range_async(store, "big-data.txt", start=5, end=15)) == FOX[5:15]

    asyncio.run(run())


@pytest.mark.parametrize(
    "starts, ends",
    [([5, 10, 15, 20], [15, 20, 25, 30]), ([200_000, 3, 100_000], [200_100, 4, 100_001]), ([0, 0], [220_000, 1])])
def test_get_ranges(store, starts, ends):
    buffers = obs.get_ranges(store, "big-data.txt", starts=starts, ends=ends)
    assert [bytes(buffer) for buffer in buffers] == [(FOX * 5000)[start:end] for start, end in zip(starts, ends)]


def test_get_ranges_async(store):
    async def run():
        buffers = await obs.get_ranges_async(store, "big-data.txt", starts=[5, 100_000], lengths=[10, 10])
        assert [bytes(buffer) for buffer in buffers] == [(FOX * 5000)[start : start + 10] for start in (5, 100_000)]

    asyncio.run(run())


def test_get_empty(store):
    assert obs.get(store, "empty.bin").bytes() == b""


def test_head(store):
    meta = obs.head(store, "big-data.txt")
    assert (meta["path"], meta["size"]) == ("big-data.txt", 220_000)
    assert meta["last_modified"] == datetime.fromtimestamp(rangeio.YEARS_AGO, timezone.utc)
    assert meta["e_tag"] == obs.get(store, "big-data.txt").meta["e_tag"]


@pytest.mark.parametrize("name", NAMES)
def test_head_non_ascii(store, name):
    assert obs.head(store, name)["path"] == name
    assert obs.get(store, name).bytes() == name.encode()


@pytest.mark.parametrize("read", [obs.get, obs.head, lambda store, path: obs.get_range(store, path, start=0, end=1)])
def test_not_found(store, read):
    with pytest.raises(FileNotFoundError):
        read(store, "not-a-key")


def test_get_if_match(store):
    tag = obs.head(store, "greeting.txt")["e_tag"]
    assert obs.get(store, "greeting.txt", options={"if_match": tag}).bytes() == b"Hello, World!"
    with pytest.raises(PreconditionError):
        obs.get(store, "greeting.txt", options={"if_match": '"another"'})


def test_get_if_none_match(store):
    tag = obs.head(store, "greeting.txt")["e_tag"]
    assert obs.get(store, "greeting.txt", options={"if_none_match": '"another"'}).bytes() == b"Hello, World!"
    with pytest.raises(NotModifiedError):
        obs.get(store, "greeting.txt", options={"if_none_match": tag})


def test_get_if_modified_since(store):
    when = datetime.fromtimestamp(rangeio.YEARS_AGO, timezone.utc)
    assert obs.get(store, "greeting.txt", options={"if_modified_since": when.replace(year=2000)}).bytes() == b"Hello, World!"
    with pytest.raises(NotModifiedError):
        obs.get(store, "greeting.txt", options={"if_modified_since": when})


def test_get_if_unmodified_since(store):
    when = datetime.fromtimestamp(rangeio.YEARS_AGO, timezone.utc)
    assert obs.get(store, "greeting.txt", options={"if_unmodified_since": when}).bytes() == b"Hello, World!"
    with pytest.raises(PreconditionError):
        obs.get(store, "greeting.txt", options={"if_unmodified_since": when.replace(year=2000)})


def test_readable_file_sync(store):
    assert LINE == obs.open_reader(store, "lines.txt").readline().to_bytes()
    assert memoryview(LINE * 5000) == memoryview(obs.open_reader(store, "lines.txt").read())
    assert memoryview(LINE[:20]) == memoryview(obs.open_reader(store, "lines.txt").read(20))


def test_readable_file_async(store):
    async def run():
        assert LINE == (await (await obs.open_reader_async(store, "lines.txt")).readline()).to_bytes()
        assert memoryview(LINE * 5000) == memoryview(await (await obs.open_reader_async(store, "lines.txt")).read())

    asyncio.run(run())


def test_readable_file_seek(store):
    file = obs.open_reader(store, "lines.txt", buffer_size=4096)
    for place, whence, right in ((150_000, 0, 150_000), (-44, 2, 219_956), (-100_000, 1, 120_000)):
        file.seek(place, whence)
        assert file.tell() == right
        assert bytes(file.read(44)) == (LINE * 5000)[right : right + 44]


def test_read_past_eof_sync(store):
    assert memoryview(b"Hello, World!") == memoryview(obs.open_reader(store, "greeting.txt").read(20))


def test_open_reader_size_hint_sync(store):
    file = obs.open_reader(store, "sized.bin", size=1000)
    assert file.size == 1000 and memoryview(b"x" * 1000) == memoryview(file.read())


def test_open_reader_size_hint_larger_than_actual_errors_on_read(store):
    with pytest.raises(OSError, match="(?i)range"):
        obs.open_reader(store, "sized.bin", size=5000).read()


def test_open_reader_size_hint_smaller_than_actual_truncates(store):
    assert memoryview(b"x" * 500) == memoryview(obs.open_reader(store, "sized.bin", size=500).read())


def test_open_reader_size_hint_zero_byte_file(store):
    assert memoryview(b"") == memoryview(obs.open_reader(store, "empty.bin", size=0).read())
