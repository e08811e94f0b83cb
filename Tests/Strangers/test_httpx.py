"""httpx reads from `rangeio serve`: streams, ranges, conditions, many at a time, HTTP/2. After the subjects of httpx's own tests."""

import asyncio
import ssl

import httpx
import pytest


@pytest.fixture(scope="module", params=["HTTP/1.1", "HTTP/2", "HTTP/1.1 over TLS"])
def client(request, server, secure, certificate):
    base = server.base if request.param == "HTTP/1.1" else secure.base
    trust = ssl.create_default_context(cafile=certificate[0])
    with httpx.Client(
        base_url=base, verify=trust, http1=request.param != "HTTP/2", http2=request.param == "HTTP/2", trust_env=False,
    ) as client:
        client.version = request.param.split(" ")[0]
        client.trust = trust
        yield client


def test_get(client, data):
    answer = client.get("/object.bin")
    assert (answer.status_code, answer.http_version, answer.content) == (200, client.version, data)
    assert answer.headers["accept-ranges"] == "bytes" and answer.headers["content-length"] == str(len(data))


def test_head(client, data):
    answer = client.head("/object.bin", headers={"Range": "bytes=0-9"})
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", str(len(data)))


def test_stream(client, data):
    with client.stream("GET", "/object.bin") as answer:
        assert b"".join(answer.iter_bytes()) == data


def test_iter_raw_with_chunksize(client, data):
    with client.stream("GET", "/object.bin", headers={"Range": "bytes=7-200006"}) as answer:
        pieces = list(answer.iter_raw(chunk_size=16_384))
    assert b"".join(pieces) == data[7:200_007] and {len(piece) for piece in pieces[:-1]} == {16_384}
    assert answer.num_bytes_downloaded == 200_000


def test_stream_closed_early(client, data):
    """What is not read is given up, and the next request is answered."""
    with client.stream("GET", "/object.bin") as answer:
        assert next(answer.iter_bytes(100)) == data[:100]
    assert client.get("/small.txt").content == b"0123456789abcdef"


@pytest.mark.parametrize(
    "wanted, first, last",
    [("0-0", 0, 0), ("0-4095", 0, 4095), ("100000-", 100_000, 250_006), ("-10", 249_997, 250_006),
     ("-999999", 0, 250_006), ("250006-999999", 250_006, 250_006)])
def test_range(client, data, wanted, first, last):
    answer = client.get("/object.bin", headers={"Range": f"bytes={wanted}"})
    assert (answer.status_code, answer.content) == (206, data[first : last + 1])
    assert answer.headers["content-range"] == f"bytes {first}-{last}/{len(data)}"


@pytest.mark.parametrize("wanted", ["250007-", "999999-1000000", "-0"])
def test_range_not_satisfiable(client, data, wanted):
    answer = client.get("/object.bin", headers={"Range": f"bytes={wanted}"})
    assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{len(data)}")


@pytest.mark.parametrize("wanted", ["bytes=9-0", "bytes=a-b", "lines=0-1", "bytes=", "bytes=0"])
def test_range_ignored(client, data, wanted):
    answer = client.get("/object.bin", headers={"Range": wanted})
    assert (answer.status_code, answer.content) == (200, data)


def test_conditions(client):
    seen = client.get("/small.txt")
    tag, date = seen.headers["etag"], seen.headers["last-modified"]

    def status(**fields):
        return client.get(
            "/small.txt", headers={name.replace("_", "-"): value for name, value in fields.items()}).status_code

    assert status(if_none_match=tag) == status(if_modified_since=date) == 304
    assert status(if_none_match='"x"') == status(if_modified_since="Sat, 01 Jan 2000 00:00:00 GMT") == 200
    assert status(if_match='"x"') == status(if_unmodified_since="Sat, 01 Jan 2000 00:00:00 GMT") == 412
    assert status(if_match=tag, range="bytes=0-1") == 206
    assert status(if_range=tag, range="bytes=0-1") == 206 and status(if_range='"x"', range="bytes=0-1") == 200
    # RFC 9110, section 13.2.2: the tag counts before the date, and conditions before the range.
    assert status(if_none_match='"x"', if_modified_since=date) == 200
    assert status(if_none_match=tag, range="bytes=999-") == 304


def test_download_goes_on(client, data):
    """What httpx's users write to go on with a download: the rest, of the same version."""
    with client.stream("GET", "/object.bin") as answer:
        got, tag = next(answer.iter_bytes(65_536)), answer.headers["etag"]
    rest = client.get("/object.bin", headers={"Range": f"bytes={len(got)}-", "If-Range": tag})
    assert rest.status_code == 206 and got + rest.content == data


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH"])
def test_other_methods(client, method):
    answer = client.request(method, "/object.bin")
    assert answer.status_code == 405 and "GET" in answer.headers["allow"]


def test_redirect_to_folder_and_missing(client):
    assert client.get("/not-there").status_code == 404
    assert client.get("/").headers["content-type"].startswith("text/html")
    names = client.get("/", headers={"Accept": "application/json"}).json()
    assert {"object.bin", "empty.bin", "small.txt"} == {entry["name"] for entry in names}


def test_concurrent(client, data):
    """A hundred ranges at a time, each right; of HTTP/2 in one connection."""
    async def run():
        limits = httpx.Limits(max_connections=1 if client.version == "HTTP/2" else 20)
        async with httpx.AsyncClient(
            base_url=client.base_url, verify=client.trust, http1=client.version != "HTTP/2",
            http2=client.version == "HTTP/2", limits=limits, trust_env=False, timeout=60,
        ) as many:
            places = [(start, start + 997 * (number % 7) + 1) for number, start in enumerate(range(0, 240_000, 2400))]
            answers = await asyncio.gather(*[
                many.get("/object.bin", headers={"Range": f"bytes={start}-{end - 1}"}) for start, end in places])
            assert len(answers) == 100
            for answer, (start, end) in zip(answers, places):
                assert (answer.status_code, answer.http_version) == (206, client.version)
                assert answer.content == data[start:end]

    asyncio.run(run())
