"""web-platform-tests fetch/range, of a client that reads ranges: the tool reads from a server like theirs. Named after theirs."""

import os
import sys

import pytest

import rangeio

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "Situations"))
from lib.origin import Origin, honest, reply  # noqa: E402

NOT_APPLICABLE = {
    "general.any.js: Range header setting allowed for guard type: *": "Headers objects of browsers",
    "general.any.js: Privileged header not allowed for guard type: request-no-cors": "Headers objects of browsers",
    "general.window.js": "scripts and styles of pages",
    "opaque.any.js, opaque.window.js": "answers of other origins in browsers",
    "sw.https.window.js": "service workers",
    "blob.any.js: whitespace in ranges (4 cases)": "blob: URLs take blanks that HTTP does not",
    "blob.any.js: multiple range values (2 cases)": "blob: URLs have no several ranges; the tool reads each",
}
DATA = rangeio.content(300_000)
TAGGED = [("ETag", '"v1"'), ("Accept-Ranges", "bytes")]


# MARK: general.any.js


@pytest.mark.parametrize("wanted", [["-r", "0-10"], ["-r", "200000-"], ["--suffix", "10"], []])
def test_fetch_with_range_header_will_be_sent_with_accept_encoding_identity(wanted):
    origin = Origin(lambda request, send: honest(request, send, DATA))
    assert rangeio.tool("read", origin.url(), *wanted).code == 0
    requests = origin.taken()
    assert requests and all(request.fields.get("accept-encoding") == "identity" for request in requests), requests


# MARK: partial-script.window.js, and Fetch's step for 206 without a range


def test_partial_answer_to_a_request_without_a_range():
    """A part is not taken for the whole."""
    def answer(request, send):
        return reply(request, send, 206, [*TAGGED, ("Content-Range", f"bytes 0-99/{len(DATA)}")], DATA[:100])

    ended = rangeio.tool("cat", Origin(answer).url(), "--retries", "1", "--time-limit", "5")
    assert ended.out == DATA or (ended.code != 0 and DATA.startswith(ended.out)), ended


# MARK: non-matching-range-response.html


def rewriting(rewrites):
    """Answers ranges as `rewrites` says for their first byte: another first and last byte, or a status."""
    def answer(request, send):
        wanted = request.range(len(DATA))
        rewrite = rewrites.get(wanted and wanted[0])
        if rewrite is None:
            return honest(request, send, DATA)
        if rewrite == 200:
            return reply(request, send, 200, TAGGED, DATA)
        first, last = rewrite
        return reply(
            request, send, 206, [*TAGGED, ("Content-Range", f"bytes {first}-{last}/{len(DATA)}")], DATA[first : last + 1])

    return Origin(answer)


def test_range_requests_with_no_rewrites_should_succeed():
    ended = rangeio.tool("read", rewriting({}).url(), "-r", "100000-199999")
    assert (ended.code, ended.out) == (0, DATA[100_000:200_000]), ended


@pytest.mark.parametrize("wanted, rewrites", [
    ("0-9999", {0: (0, 100)}), ("100-9999", {100: (50, 9999)}), ("100000-100999", {100_000: (99_000, 101_500)}),
    ("100000-100999", {100_000: (0, 999)}), ("100000-100999", {100_000: (100_500, 101_499)}),
    ("100000-100999", {100_000: (200_000, 200_999)})])
def test_range_response_out_of_range_of_request(wanted, rewrites):
    """Theirs wants the video to play on. For a client of bytes: the right bytes, or an error; never others."""
    first, last = map(int, wanted.split("-"))
    ended = rangeio.tool("read", rewriting(rewrites).url(), "-r", wanted, "--retries", "1", "--time-limit", "5")
    right = DATA[first : last + 1]
    assert (ended.code == 0 and ended.out == right) or (ended.code != 0 and right.startswith(ended.out)), ended


@pytest.mark.parametrize("wanted", ["0-99", "1000-1999", "299990-"])
def test_range_requests_ignored_200_status_should_succeed(wanted):
    origin = Origin(lambda request, send: reply(request, send, 200, [("ETag", '"v1"')], DATA))
    first, _, last = wanted.partition("-")
    ended = rangeio.tool("read", origin.url(), "-r", wanted)
    assert (ended.code, ended.out) == (0, DATA[int(first) : int(last or len(DATA)) + 1]), ended


# MARK: invalid-content-range.html


def labelled(text):
    def answer(request, send):
        wanted = request.range(len(DATA))
        if wanted is None:
            return reply(request, send, 200, TAGGED, DATA)
        first, last = wanted
        return reply(
            request, send, 206, [*TAGGED, ("Content-Range", text or f"bytes {first}-{last} / {len(DATA)}")], DATA[first : last + 1])

    return Origin(answer)


@pytest.mark.parametrize("text", ["0-1/1000", "bytes -10-100", "7-4", "bytes ABC-1", "80", "bytes something", "-12", "bytes 3 3"])
def test_a_content_range_response_should_be_invalid(text):
    """Nothing is read by it: an error, or the right bytes by another request."""
    origin = labelled(text)
    ended = rangeio.tool("read", origin.url(), "-r", "1000-1999", "--retries", "1", "--time-limit", "5")
    by_another = any("range" not in request.fields for request in origin.taken())
    assert (ended.code != 0 and ended.out == b"") or (by_another and ended.out == DATA[1000:2000]), ended


def test_a_content_range_response_should_be_valid():
    """Theirs has blanks around the slash, and browsers take it."""
    ended = rangeio.tool("read", labelled("").url(), "-r", "1000-1999", "--retries", "1", "--time-limit", "5")
    assert (ended.code, ended.out) == (0, DATA[1000:2000]), ended


# MARK: resources/partial-text.py of sw.https.window.js: 206 and 416, a byte around the end


@pytest.mark.parametrize("size", [99, 100])
def test_range_around_the_length(size):
    text = DATA[:100]
    ended = rangeio.tool("read", Origin(lambda request, send: honest(request, send, text)).url(), "-r", f"0-{size - 1}")
    assert (ended.code, ended.out) == (0, text[:size]), ended


# MARK: blob.any.js


@pytest.mark.parametrize("name, text, wanted, result", [
    ("A simple blob range request.", "A simple Hello, World! example", "9-21", "Hello, World!"),
    ("A blob range request with no end.", "Range with no end", "11-", "no end"),
    ("A blob range request with no start.", "Range with no start", "-8", "no start"),
])
def test_supported_blob_range(name, text, wanted, result):
    origin = Origin(lambda request, send: honest(request, send, text.encode()))
    ended = rangeio.tool("read", origin.url(), "-r", wanted)
    assert (ended.code, ended.out) == (0, result.encode()), ended


@pytest.mark.parametrize("name, text, wanted, code", [
    # Browsers cut these at the end. The tool promises all bytes of a range, so it says that some are not there.
    ("Blob content with short content and a large range end", "Not much here", "4-100000000000", 4),
    ("Blob content with short content and a range end matching content length", "Not much here", "4-13", 4),
    ("Blob range with no value", "Blob range should have a value", "", 2),
    ("Blob range request with trailing comma", "Range with invalid trailing comma", "0-5,", 2),
    ("Blob range with no start or end", "Range with no start or end", "-", 2),
    ("Blob range request with short range end", "Range end should be greater than range start", "10-5", 2),
    ("Blob range start should be an ASCII digit", "Range start must be an ASCII digit", "x-5", 2),
    ("Blob range should have a dash", "Blob range should have a dash", "5", 2),
    ("Blob range end should be an ASCII digit", "Range end must be an ASCII digit", "5-x", 2),
    ("Blob range should include '-'", "Range end must include '-'", "x", 2),
    ("Blob range should include '='", "Range end must include '='", "bytes 5-", 2),
    ("Blob content with short content and a large range start", "Not much here", "100000-", 4),
    ("Blob content with short content and a range start matching the content length", "Not much here", "14-", 4),
])
def test_unsupported_blob_range(name, text, wanted, code):
    """An error that says so, and no bytes; what is no range is not even asked for."""
    origin = Origin(lambda request, send: honest(request, send, text.encode()))
    ended = rangeio.tool("read", origin.url(), "-r", wanted)
    assert (ended.code, ended.out) == (code, b""), ended
    assert code != 2 or not origin.taken()
