"""curl reads from `rangeio serve`: what curl's own tests do with ranges, resuming and conditions."""

import email.parser
import email.policy
import gzip
import os
import re
import socket
import stat

import pytest

import rangeio

NOT_APPLICABLE = {
    "resume of an upload (-T -C)": "writes",
    "-z with a file as the date of an upload": "writes",
    "FTP, FILE and other schemes": "the server speaks HTTP",
    "HTTP/0.9, HTTP/2 without TLS (h2c), HTTP/3": "the server does not speak them, and says so in its guide",
}


class Answer:
    """What came: `status`, `version`, `fields` (small letters), `body`, and the exit `code`."""

    def __init__(self, run, heads, body):
        self.code, self.body, self.said = run.code, body, run.said
        # The last head, after those of redirections.
        lines = heads.strip().split("\r\n\r\n")[-1].split("\r\n")
        self.version, self.status = lines[0].split(" ")[0], int(lines[0].split(" ")[1])
        self.fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}


@pytest.fixture
def curl(server, tmp_path):
    def run(*arguments, name="object.bin", base=server.base):
        heads, body = tmp_path / "heads", tmp_path / "body"
        for path in (heads, body):
            path.unlink(missing_ok=True)
        ended = rangeio.Run(["curl", "-sS", "-q", "--max-time", "60", "-D", str(heads), "-o", str(body), *arguments, f"{base}/{name}"])
        return Answer(ended, heads.read_bytes().decode("latin-1"), body.read_bytes() if body.exists() else b"")

    return run


RANGES = [
    ("0-0", 0, 0), ("0-99", 0, 99), ("100-199", 100, 199), ("250006-", 250_006, 250_006), ("200000-", 200_000, 250_006),
    ("-1", 250_006, 250_006), ("-500", 249_507, 250_006), ("-999999999", 0, 250_006), ("0-999999999", 0, 250_006),
    ("250000-250007", 250_000, 250_006)]


@pytest.mark.parametrize("wanted, first, last", RANGES)
def test_range(curl, data, wanted, first, last):
    answer = curl("-r", wanted)
    assert (answer.code, answer.status, answer.body) == (0, 206, data[first : last + 1])
    assert answer.fields["content-range"] == f"bytes {first}-{last}/{len(data)}"
    assert answer.fields["content-length"] == str(last - first + 1)


@pytest.mark.parametrize("wanted", ["250007-", "300000-400000", "-0"])
def test_range_past_the_end(curl, data, wanted):
    answer = curl("-f", "-r", wanted)
    assert (answer.code, answer.status, answer.body) == (22, 416, b"")
    assert answer.fields["content-range"] == f"bytes */{len(data)}"


def test_range_of_an_empty_file(curl):
    assert curl(name="empty.bin").status == 200
    answer = curl("-r", "0-9", name="empty.bin")
    assert (answer.status, answer.fields["content-range"]) == (416, "bytes */0")


@pytest.mark.parametrize("wanted", ["5-2", "a-b", "x", "1--2", "0x10-0x20", "--5"])
def test_range_that_is_none(curl, data, wanted):
    """RFC 9110, section 14.2: what is no range is ignored."""
    answer = curl("-H", f"Range: bytes={wanted}")
    assert (answer.code, answer.status, answer.body) == (0, 200, data)


def test_range_of_another_unit(curl, data):
    assert curl("-H", "Range: lines=0-9").body == data


@pytest.mark.parametrize("wanted", ["0-9,20-29", "20-29,0-9", "0-0,-1", "0-9, 100-,-5", "0-9,300000-", "-5,5-8,1-2"])
def test_several_ranges(curl, data, wanted):
    """Each part has its range and type, in the order of the request; of one that is left, no parts are made."""
    places = []
    for text in wanted.replace(" ", "").split(","):
        first, _, last = text.partition("-")
        start, end = (len(data) - int(last), len(data)) if not first else (int(first), int(last or len(data)) + 1)
        if start < len(data):
            places.append((start, min(end, len(data))))
    answer = curl("-r", wanted)
    assert answer.status == 206
    if len(places) == 1:
        assert answer.body == data[places[0][0] : places[0][1]]
        return
    kind = answer.fields["content-type"]
    assert kind.startswith("multipart/byteranges") and "content-range" not in answer.fields
    assert answer.fields["content-length"] == str(len(answer.body))
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + answer.body)
    parts = list(message.iter_parts())
    assert [part["Content-Range"] for part in parts] == [f"bytes {a}-{b - 1}/{len(data)}" for a, b in places]
    assert [part.get_payload(decode=True) for part in parts] == [data[a:b] for a, b in places]


def test_resume_from(curl, data):
    answer = curl("-C", "100000")
    assert (answer.code, answer.status, answer.body) == (0, 206, data[100_000:])


@pytest.mark.parametrize("there", [0, 1, 99_999, 250_006])
def test_resume_of_a_download(server, tmp_path, data, there):
    path = tmp_path / "download"
    path.write_bytes(data[:there])
    run = rangeio.Run(["curl", "-sS", "-q", "-C", "-", "-o", str(path), f"{server.base}/object.bin"])
    assert run.code == 0 and path.read_bytes() == data


def test_resume_of_a_whole_download(server, tmp_path, data):
    """416 with the size, by which a client sees that all is there; the file stays."""
    path = tmp_path / "download"
    path.write_bytes(data)
    for more, code in (["-s"], 0), (["-sf"], 22):
        run = rangeio.Run(["curl", *more, "-q", "-C", "-", "-D", "-", "-o", str(path), f"{server.base}/object.bin"])
        assert run.code == code and path.read_bytes() == data
        assert b"416" in run.out and f"content-range: bytes */{len(data)}".encode() in run.out.lower()


def test_resume_past_the_end(server, tmp_path, data):
    path = tmp_path / "download"
    path.write_bytes(data + b"more")
    run = rangeio.Run(["curl", "-sf", "-q", "-C", "-", "-o", str(path), f"{server.base}/object.bin"])
    assert run.code == 22 and path.read_bytes() == data + b"more"


def test_head(curl, data):
    plain, ranged = curl("-I"), curl("-I", "-r", "0-9")
    for answer in (plain, ranged):
        assert (answer.code, answer.status, answer.fields["content-length"]) == (0, 200, str(len(data)))
        assert answer.fields["accept-ranges"] == "bytes" and "content-range" not in answer.fields
    whole = curl()
    assert {name: whole.fields[name] for name in ("etag", "last-modified", "content-type")} == {
        name: plain.fields[name] for name in ("etag", "last-modified", "content-type")}


def test_if_range(curl, data):
    seen = curl("-I").fields
    for value, whole in (
        (seen["etag"], False), ('"another"', True), (f"W/{seen['etag']}", True), ("Sat, 01 Jan 2000 00:00:00 GMT", True)):
        answer = curl("-H", f"If-Range: {value}", "-r", "5-9")
        assert (answer.status, answer.body) == ((200, data) if whole else (206, data[5:10])), value


def test_if_range_past_the_end(curl, data):
    """RFC 9110, section 14.2: the range of another version is ignored, and no error."""
    assert curl("-H", 'If-Range: "another"', "-r", "999999-").status == 200
    assert curl("-H", f"If-Range: {curl('-I').fields['etag']}", "-r", "999999-").status == 416


def test_if_none_match(curl):
    tag = curl("-I").fields["etag"]
    for value, status in ((tag, 304), (f"W/{tag}", 304), ("*", 304), (f'"a", {tag}', 304), ('"another"', 200)):
        answer = curl("-H", f"If-None-Match: {value}")
        assert answer.status == status, value
        assert answer.fields["etag"] == tag
    assert curl("-H", f"If-None-Match: {tag}", "-r", "0-0").status == 304


def test_if_match(curl):
    tag = curl("-I").fields["etag"]
    for value, status in ((tag, 206), ("*", 206), (f'"a", {tag}', 206), ('"another"', 412), (f"W/{tag}", 412)):
        assert curl("-H", f"If-Match: {value}", "-r", "0-0").status == status, value


def test_time_condition(curl, data):
    """-z: newer than; -z -: older than."""
    date = curl("-I").fields["last-modified"]
    assert curl("-z", date).status == 304 and curl("-z", "1 Jan 2000").body == data
    assert curl("-z", "-1 Jan 2000").status == 412 and curl("-z", f"-{date}").status == 200
    assert curl("-H", "If-Modified-Since: no date").status == 200


def test_etag_save_and_compare(server, tmp_path, data):
    """--etag-save and --etag-compare, as scripts fetch only what is new."""
    tag, out = tmp_path / "etag", tmp_path / "out"
    url = f"{server.base}/object.bin"
    assert rangeio.Run(["curl", "-sSf", "-q", "--etag-save", str(tag), "-o", str(out), url]).code == 0
    assert out.read_bytes() == data and tag.read_text().strip().startswith('"')
    out.unlink()
    again = rangeio.Run(["curl", "-sSf", "-q", "--etag-compare", str(tag), "-o", str(out), "-w", "%{http_code}", url])
    assert again.out == b"304" and not (out.exists() and out.stat().st_size)


def test_compressed(tmp_path, data):
    """--compressed: the coded file where there is one, whole and in ranges of its own; the plain one otherwise."""
    plain, coded = data[:9000], gzip.compress(data[:9000])
    rangeio.write(tmp_path, "served/page.txt", plain)
    rangeio.write(tmp_path, "served/page.txt.gz", coded)
    with rangeio.Serve(tmp_path / "served", "--precompressed") as server:
        url = server.settle("page.txt").base + "/page.txt"

        def get(*more):
            return rangeio.Run(["curl", "-sSf", "-q", *more, url]).out

        assert get() == plain and get("--compressed") == plain
        assert get("-H", "Accept-Encoding: gzip") == coded
        assert get("-H", "Accept-Encoding: gzip", "-r", "5-99") == coded[5:100]
        assert get("-H", "Accept-Encoding: gzip;q=0", "-r", "5-99") == plain[5:100]
        heads = [
            rangeio.Run(["curl", "-sSI", "-q", "-H", f"Accept-Encoding: {which}", url]).out.lower() for which in ("gzip", "identity")]
        assert len({re.search(rb"\netag: (.*?)\r", head)[1] for head in heads}) == 2
        assert all(b"vary: accept-encoding" in head for head in heads)


def test_compressed_without_a_coded_file(curl, data):
    answer = curl("--compressed", "-r", "10-19")
    assert (answer.status, answer.body) == (206, data[10:20]) and "content-encoding" not in answer.fields


def test_http10(curl, data):
    answer = curl("--http1.0", "-r", "3-9")
    assert (answer.status, answer.body) == (206, data[3:10])


def test_http2(curl, secure, certificate, data):
    for wanted, first, last in RANGES:
        answer = curl("--http2", "--cacert", certificate[0], "-r", wanted, base=secure.base)
        assert (answer.version, answer.status, answer.body) == ("HTTP/2", 206, data[first : last + 1])
    assert curl("--http2", "--cacert", certificate[0], "-r", "999999-", base=secure.base).status == 416
    assert curl("--http2", "--cacert", certificate[0], base=secure.base).body == data


def test_http2_several_at_a_time(secure, certificate, tmp_path, data):
    """-Z: fifty ranges in one connection."""
    arguments = []
    for number in range(50):
        if number:
            arguments.append("--next")
        arguments += ["-sS", "--http2", "--cacert", certificate[0], "-r", f"{number * 4000}-{number * 4000 + 3999}",
                      "-o", str(tmp_path / str(number)), "-w", "%{num_connects}\\n", f"{secure.base}/object.bin"]
    run = rangeio.Run(["curl", "-q", "-Z", *arguments])
    assert run.code == 0, run
    assert b"".join((tmp_path / str(number)).read_bytes() for number in range(50)) == data[:200_000]
    assert sum(map(int, run.out.split())) <= 2


def test_tls_1_3(curl, secure, certificate, data):
    assert curl("--tlsv1.3", "--http1.1", "--cacert", certificate[0], "-r", "1-2", base=secure.base).body == data[1:3]


def test_unix_socket(folder, tmp_path, data):
    place = tmp_path / "socket"
    with rangeio.Serve(folder, "--socket-mode", "600", listen=f"unix:{place}") as server:
        assert server.place == f"unix:{place}" and stat.S_IMODE(os.stat(place).st_mode) == 0o600

        def get(*more):
            return rangeio.Run(["curl", "-sSf", "-q", "--unix-socket", str(place), *more, "http://localhost/object.bin"])

        assert get().out == data and get("-r", "7-19").out == data[7:20]


def test_connection_is_kept(server, data):
    """Answers with and without a body end where they say, so that the next is read from the same connection."""
    url = f"{server.base}/object.bin"
    requests = [["-r", "0-9"], ["-I"], ["-r", "999999-"], ["-H", "If-None-Match: *"], ["-r", "0-1,5-6"], []]
    arguments = []
    for more in requests:
        arguments += (["--next"] if arguments else []) + ["-sS", "-o", "/dev/null", "-w", "%{http_code} %{num_connects}\\n", *more, url]
    run = rangeio.Run(["curl", "-q", *arguments])
    assert run.out.decode().split() == ["206", "1", "200", "0", "416", "0", "304", "0", "206", "0", "200", "0"]


@pytest.mark.parametrize("name, target", [
    ("a b.txt", "a%20b.txt"), ("a%20b.txt", "a%2520b.txt"), ("ü.txt", "%C3%BC.txt"), ("x?y#z.txt", "x%3Fy%23z.txt"),
    ("a+b&c;d=e.txt", "a+b&c;d=e.txt"), ("[1].txt", "%5B1%5D.txt"), ("tab\there", "tab%09here"), ("dir/in.txt", "dir/../dir/./in.txt")])
def test_names(tmp_path, name, target):
    rangeio.write(tmp_path, name, b"bytes of it")
    with rangeio.Serve(tmp_path) as server:
        run = rangeio.Run(["curl", "-sSf", "-q", "-g", "-r", "0-4", f"{server.base}/{target}"])
        assert run.out == b"bytes"


@pytest.mark.parametrize(
    "target", ["/../secret", "/dir/../../secret", "/%2e%2e/secret", "/..%2fsecret", "/dir%2f..%2f..%2fsecret", "/.hidden"])
def test_path_as_is(tmp_path, target):
    """--path-as-is: nothing outside of the folder, and nothing hidden."""
    rangeio.write(tmp_path, "secret", b"secret")
    rangeio.write(tmp_path, "served/.hidden", b"secret")
    rangeio.write(tmp_path, "served/dir/file", b"file")
    with rangeio.Serve(tmp_path / "served") as server:
        run = rangeio.Run(["curl", "-sS", "-q", "--path-as-is", "-w", "\\n%{http_code}", f"{server.base}{target}"])
        body, _, status = run.out.rpartition(b"\n")
        assert status in (b"400", b"404") and b"secret" not in body.replace(target.encode(), b"")


def test_expect_continue_and_bodies(curl):
    """A request with a body is refused, and no answer waits for it."""
    answer = curl("-X", "GET", "--data-binary", "x" * 2000, "-H", "Expect: 100-continue")
    assert answer.status == 413


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PROPFIND"])
def test_other_methods(curl, method):
    answer = curl("-X", method)
    assert answer.status == 405 and "GET" in answer.fields["allow"]


def test_heads_in_pieces(server, data):
    """A request that comes byte by byte, and one that comes with the one before."""
    host, port = server.base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=rangeio.HANG) as connection:
        request = f"GET /object.bin HTTP/1.1\r\nHost: {host}\r\nRange: bytes=5-9\r\n"
        for byte in request.encode() + b"\r\n":
            connection.send(bytes([byte]))
        connection.sendall(request.encode() + b"\r\n" + request.encode() + b"Connection: close\r\n\r\n")
        came = b""
        while piece := connection.recv(65_536):
            came += piece
    assert came.count(b"HTTP/1.1 206") == 3 and came.count(data[5:10]) == 3
