"""web-platform-tests fetch/http-cache, with `rangeio serve` as the cache: partial content, 304, Vary, status. Named after theirs.

`rangeio serve` does not obey Cache-Control: an object is served without asking for the seconds of `--revalidate`. So what is fresh in
their cases is an hour here, and what is stale is 0. Their ten bytes are ten blocks here, so that a part is less than the first answer.
"""

import os
import sys
import time

import pytest

import rangeio

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "Situations"))
from lib.origin import Origin, honest, http_date, reply  # noqa: E402

_SETTING = "Cache-Control and Expires of the origin: --revalidate takes their place"
NOT_APPLICABLE = {
    "freshness.html, heuristic.html": _SETTING,
    "cc-request.html, cache-mode.any.js": "Cache-Control of requests: the same",
    "invalidate.html, post-patch.html": "methods that write",
    "304-update.html: HTTP cache updates returned headers from a * 304": "fields of the origin are not passed on",
    "vary.html: cases with two values of a field (8 cases)": "fields of clients are not passed on, so the origin sees one value",
    "if-none-match.any.js": "fields that browsers add",
    "split-cache.html": "caches of browsers for each site",
    "basic-auth-cache-test.html, credentials.tentative.html": "credentials of pages",
}
BLOCK = 100_000
DATA = b"".join(bytes([digit]) * BLOCK for digit in b"0123456789")


def part(text):
    """Their range, in blocks."""
    first, _, last = text.partition("-")
    if not first:
        return f"-{int(last) * BLOCK}"
    return f"{int(first) * BLOCK}-" + (str((int(last) + 1) * BLOCK - 1) if last else "")


class Cached:
    """`rangeio serve` before an origin that has `data` and `tag`, and writes down what is asked."""

    def __init__(self, revalidate, data=DATA, tag='"abc"', date=None, fields=(), answer=None, limit=30):
        self.data, self.tag, self.date, self.fields = data, tag, date, list(fields)
        self.origin = Origin(answer or self._answer)
        self.server = rangeio.Serve(self.origin.url("/"), "--revalidate", revalidate, "--time-limit", limit)

    def _answer(self, request, send):
        if request.target != "/object":
            return reply(request, send, 404)
        seen = request.fields
        fields = [("Date", http_date(time.time())), *self.fields, *([("ETag", self.tag)] if self.tag else [])]
        if (self.tag and seen.get("if-none-match") == self.tag) or (
            self.date and "if-none-match" not in seen and seen.get("if-modified-since") == self.date):
            return reply(request, send, 304, fields + ([("Last-Modified", self.date)] if self.date else []))
        return honest(request, send, self.data, self.tag, self.date, self.fields)

    def get(self, wanted=None, *more):
        """What comes through the cache: a status and bytes; and what that had the origin asked."""
        self.origin.taken()
        ended = rangeio.Run([
            "curl", "-sS", "-q", *(["-r", wanted] if wanted else []), *more, "-w", "%{stderr}%{http_code}",
            f"{self.server.base}/object"])
        return int(ended.said[-3:]), ended.out, self.origin.taken()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()


def body_bytes(requests):
    """How many bytes these requests asked for."""
    return sum((lambda place: place[1] - place[0] + 1)(request.range(len(DATA)) or (0, len(DATA) - 1)) for request in requests)


# MARK: partial.html


def test_http_cache_stores_partial_content_and_reuses_it():
    with Cached(3600) as cache:
        assert cache.get(part("-5"))[:2] == (206, DATA[-5 * BLOCK :])
        assert cache.get(part("-5")) == (206, DATA[-5 * BLOCK :], [])


@pytest.mark.parametrize("wanted, right", [("0-1", DATA[: 2 * BLOCK]), ("1-", DATA[BLOCK:]), ("-1", DATA[-BLOCK:])])
def test_http_cache_stores_complete_response_and_serves_smaller_ranges_from_it(wanted, right):
    with Cached(3600) as cache:
        assert cache.get()[:2] == (200, DATA)
        assert cache.get(part(wanted)) == (206, right, [])


@pytest.mark.parametrize("wanted, right", [("6-8", DATA[6 * BLOCK : 9 * BLOCK]), ("6-", DATA[6 * BLOCK :]), ("-1", DATA[-BLOCK:])])
def test_http_cache_stores_partial_response_and_serves_smaller_ranges_from_it(wanted, right):
    with Cached(3600) as cache:
        assert cache.get(part("-5"))[:2] == (206, DATA[5 * BLOCK :])
        assert cache.get(part(wanted)) == (206, right, [])


def test_http_cache_stores_partial_content_and_completes_it():
    """Of the whole only what is missing is asked for, of the same version."""
    with Cached(3600) as cache:
        assert cache.get(part("0-4"))[:2] == (206, DATA[: 5 * BLOCK])
        status, body, asked = cache.get()
        assert (status, body) == (200, DATA)
        assert asked and all(request.range(len(DATA))[0] >= 5 * BLOCK for request in asked), [str(request) for request in asked]
        assert body_bytes(asked) <= 5 * BLOCK + 65_536
        assert all(request.fields.get("if-match") == '"abc"' for request in asked)


# MARK: 304-update.html, with the expected types etag_validated and lm_validated


def test_http_cache_updates_stored_headers_from_a_etag_304():
    """A stale object is asked about with its tag, and its bytes are kept when they are the same."""
    with Cached(0) as cache:
        assert cache.get()[:2] == (200, DATA)
        status, body, asked = cache.get()
        assert (status, body) == (200, DATA) and asked
        assert body_bytes(request for request in asked if "if-none-match" not in request.fields) <= 2, [str(request) for request in asked]


def test_http_cache_updates_stored_headers_from_a_last_modified_304():
    with Cached(0, tag=None, date=http_date(rangeio.YEARS_AGO)) as cache:
        assert cache.get()[:2] == (200, DATA)
        status, body, asked = cache.get()
        assert (status, body) == (200, DATA) and asked


def test_http_cache_replaces_what_is_stale():
    """A stale object that has another tag is read anew, and no byte of the old one is served."""
    with Cached(0) as cache:
        assert cache.get(part("0-4"))[:2] == (206, DATA[: 5 * BLOCK])
        cache.data, cache.tag = DATA[::-1], '"def"'
        assert cache.get()[:2] == (200, DATA[::-1])
        assert cache.get(part("3-4"))[:2] == (206, DATA[::-1][3 * BLOCK : 5 * BLOCK])


def test_http_cache_does_not_mix_versions_while_fresh():
    """A fresh part is completed after the object was replaced: RFC 9111, section 3.4, combines parts of one strong tag only."""
    with Cached(3600) as cache:
        assert cache.get(part("0-4"))[:2] == (206, DATA[: 5 * BLOCK])
        cache.data, cache.tag = DATA[::-1], '"def"'
        # Of the old version as much may come as is known, and then the connection is cut.
        _, body, _ = cache.get()
        assert body == DATA[::-1] or (len(body) < len(DATA) and DATA.startswith(body)), "bytes of two versions"
        # By then the old version is known to be gone.
        assert cache.get()[:2] == (200, DATA[::-1]), "the old version is served, and cut, again"


# MARK: vary.html


@pytest.mark.parametrize("vary, client", [
    ("Foo", ["-H", "Foo: 1"]), ("Foo, Bar", ["-H", "Foo: 1", "-H", "Bar: abc"]),
    ("Foo, Bar, Baz", ["-H", "Foo: 1", "-H", "Bar: abc", "-H", "Baz: 789"]), ("Foo", ["-H", "Foo: 1", "-H", "Other: 3"]),
    ("Foo, Bar, Baz", ["-H", "Foo: 1", "-H", "Baz: 789"])])
def test_http_cache_reuses_vary_response_when_request_matches(vary, client):
    """The origin never sees the client's fields, so each request matches."""
    with Cached(3600, fields=[("Vary", vary)]) as cache:
        status, body, asked = cache.get(None, *client)
        assert (status, body) == (200, DATA)
        assert not any(name in request.fields for request in asked for name in ("foo", "bar", "baz", "other"))
        assert cache.get(None, *client) == (200, DATA, [])


def test_http_cache_does_not_use_vary_response_with_a_field_value_of_star():
    """Of what is stale: it is asked about before it is used."""
    with Cached(0, fields=[("Vary", "*")]) as cache:
        assert cache.get()[:2] == (200, DATA)
        cache.data, cache.tag = DATA[::-1], '"def"'
        assert cache.get()[:2] == (200, DATA[::-1])


# MARK: status.html


def test_http_cache_avoids_going_to_the_network_if_it_has_a_fresh_200_response():
    with Cached(3600) as cache:
        assert cache.get()[:2] == (200, DATA)
        assert cache.get() == (200, DATA, [])


@pytest.mark.parametrize("status, comes", [(404, 404), (410, 404)])
def test_http_cache_avoids_going_to_the_network_if_it_has_a_fresh_missing_response(status, comes):
    with Cached(3600, answer=lambda request, send: reply(request, send, status)) as cache:
        got, _, asked = cache.get()
        assert got == comes and len(asked) == 1
        assert cache.get()[0] == comes and not cache.get()[2]


@pytest.mark.parametrize("status, comes", [(403, 403), (400, 502), (500, 503), (502, 503), (503, 503), (504, 503)])
def test_http_cache_goes_to_the_network_if_it_has_a_stale_error_response(status, comes):
    """An error is an error for the client, and it ends with the origin's."""
    broken = [True]

    def answer(request, send):
        return reply(request, send, status) if broken[0] else honest(request, send, DATA)

    # As long as that it asks again before it tells.
    with Cached(0, answer=answer, limit=2) as cache:
        assert cache.get()[0] // 100 in (4, 5)
        broken[0] = False
        assert cache.get()[:2] == (200, DATA)
