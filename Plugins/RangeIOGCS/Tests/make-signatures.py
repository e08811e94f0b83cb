#!/usr/bin/env python3
"""Writes signatures.jsonl beside this file: what google-auth and google-cloud-storage sign, and HMAC signatures of requests.

Run it where both are installed. The tests compare RangeIOGCS with every line. All keys are made up: that of key.pem is made
here if the file is missing, and belongs to no account. google-cloud-storage signs URLs with RSA keys only; for HMAC keys its own
code runs with the other algorithm's name. It signs no heads: those are signed here, by Google's documentation.
"""
import datetime
import hashlib
import hmac
import inspect
import json
import pathlib
import random
import types
from unittest import mock
from urllib.parse import quote

import google.auth.credentials
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import _helpers
from google.cloud.storage import _signing
from google.oauth2 import service_account

SEED = 20260102
FOLDER = pathlib.Path(__file__).parent
SCOPES = ["https://www.googleapis.com/auth/devstorage.read_only", "https://www.googleapis.com/auth/cloud-platform"]

NAMES = [
    "key", "a/b/c", "a//b", "/a", "a/../b", "./a", "a/./b/", "a b", "a+b", "a%b", "a%20b", "a?b", "a#b", "a#1", "a&b=c",
    "é", "e\u0301", "日本語/ファイル", "😀", "~tilde-_.", "!'()*", "a:b@c", "$,;=", "[x]{y}|\\^`\"<>", "\t", "\u00a0",
    "x" * 100,
    "tiles/0/0/0.pbf", "part=1/date=2026-01-02/f.parquet", "trailing/", "a\u200bb", "\u0644\u0627",
]
BUCKETS = ["bucket", "my-bucket_1", "with.dots.example", "123", "a" * 63]
HOSTS = [
    "https://storage.googleapis.com", "https://storage.europe-west3.rep.googleapis.com", "http://127.0.0.1:4443",
    "https://storage.example:8443", "http://[::1]:9000",
]
TIMES = [
    "1999-12-31T23:59:59", "2000-02-29T12:00:00", "2024-02-29T00:00:00", "2026-01-02T03:04:05", "2026-11-23T02:20:00",
    "2038-01-19T03:14:08", "2100-02-28T23:59:59", "2100-03-01T00:00:00", "9999-12-31T22:59:59",
]
EMAILS = [
    "reader@maps-1.iam.gserviceaccount.com", "a+b@x.example", "ü\"\\/\u2028@é.example", "tab\t\n\r\b\f\x01\x7f@x", "😀@x",
]
KEY_IDS = ["0123456789abcdef", None, "k/+=\"é"]
HMAC_KEYS = [
    ("GOOG1EXAMPLE", "bGoa+V7g/yqDXvKRqq+JTFn4uQZbPiQJo4pf9RzJ"), ("GOOGTS7C7", "secret with space and ü"), ("A", "k" * 200),
]
QUERIES = [
    {}, {"generation": "1767323045000000"}, {"response-content-type": "text/plain; charset=utf-8"},
    {"a": "", "B": "1", "é": "/?&="},
    {"generation": "1", "userProject": "p-1"}, {"b": "2", "a": "~-._"},
]
HEADERS = [
    [], [["Range", "bytes=0-0"]], [["range", "bytes=1048576-2097151"], ["If-Match", "\"a b  c\""]],
    [["x-goog-user-project", "maps-billing"]], [["X-Goog-Encryption-Algorithm", "AES256"], ["x-goog-encryption-key", "a2V5"]],
    [["x-goog-meta-b", "  2  3 "], ["X-Goog-Meta-A", "1"], ["Range", "bytes=5-6"]],
]
# Never signed.
OTHERS = [[], [["Accept-Encoding", "gzip"]], [["User-Agent", "x"], ["Accept", "*/*"], ["Cache-Control", "no-cache"]]]

# The library's own code, with the algorithm of HMAC keys.
hmac_signing = types.ModuleType("hmac_signing", _signing.__doc__)
hmac_signing.__package__ = _signing.__package__
exec(inspect.getsource(_signing).replace("GOOG4-RSA-SHA256", "GOOG4-HMAC-SHA256"), hmac_signing.__dict__)


def pem():
    path = FOLDER / "key.pem"
    if not path.exists():
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        path.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return path.read_text()


def hashed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def hmac_key(secret, day):
    key = ("GOOG4" + secret).encode()
    for part in (day, "auto", "storage", "goog4_request"):
        key = hashed(key, part)
    return key


class HMACSigner(google.auth.credentials.Signing):
    """What the library takes for credentials."""

    signer = None
    signer_email = None

    def __init__(self, key, day):
        self.signer_email = key[0]
        self.key = hmac_key(key[1], day)

    def sign_bytes(self, message):
        return hmac.new(self.key, message, hashlib.sha256).digest()


def account(case):
    return service_account.Credentials.from_service_account_info(
        {"type": "service_account", "client_email": case["email"], "private_key": KEY, "private_key_id": case["keyID"],
         "token_uri": "https://oauth2.googleapis.com/token"}, scopes=[case["scope"]])


def stamp(case):
    return case["time"].replace("-", "").replace(":", "") + "Z"


def resource(case):
    return f"/{case['bucket']}/{quote(case['object'].encode(), safe=b'/~')}"


def encoded(query):
    return "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in query.items())


def signed(case):
    now = datetime.datetime.fromisoformat(case["time"])
    kind = case["kind"]
    if kind in ("assertion", "selfSigned"):
        with mock.patch.object(_helpers, "utcnow", lambda: now):
            if kind == "assertion":
                return account(case)._make_authorization_grant_assertion().decode()
            credentials = account(case).with_always_use_jwt_access(True)
            credentials._create_self_signed_jwt(None)
            return credentials._jwt_credentials._make_jwt()[0].decode()
    if kind in ("url", "hmacURL"):
        library = _signing if kind == "url" else hmac_signing
        credentials = account(case) if kind == "url" else HMACSigner(case["hmac"], stamp(case)[:8])
        url = library.generate_signed_url_v4(
            credentials, resource=resource(case), expiration=case["expiry"], api_access_endpoint=case["host"],
            method=case["method"], headers={name: value for name, value in case["headers"] if name.lower().startswith("x-goog-")},
            query_parameters=dict(case["parameters"]), _request_timestamp=stamp(case))
        return url.split("?", 1)[1]
    return head_signature(case)


def head_signature(case):
    """A signature in the head, by https://cloud.google.com/storage/docs/authentication/signatures."""
    time, day = stamp(case), stamp(case)[:8]
    scope = f"{day}/auto/storage/goog4_request"
    payload = hashlib.sha256(b"").hexdigest()
    fields = [*case["headers"], ["x-goog-date", time], ["x-goog-content-sha256", payload], ["host", case["host"].split("//")[1]]]
    signed_fields = {
        name.lower(): " ".join(value.split()) for name, value in fields
        if name.lower() in ("host", "range", "if-match") or name.lower().startswith("x-goog-")}
    names = sorted(signed_fields)
    query = "&".join(sorted(encoded(case["parameters"]).split("&"))) if case["parameters"] else ""
    canonical = "\n".join([
        case["method"], resource(case), query, *(f"{name}:{signed_fields[name]}" for name in names), "", ";".join(names),
        payload])
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"GOOG4-HMAC-SHA256\n{time}\n{scope}\n{digest}"
    signature = hashed(hmac_key(case["hmac"][1], day), text).hex()
    return (f"GOOG4-HMAC-SHA256 Credential={case['hmac'][0]}/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}")


def cases():
    dice = random.Random(SEED)

    def token(kind, email=EMAILS[0], key_id=KEY_IDS[0], scope=SCOPES[0], time=TIMES[3]):
        return {"kind": kind, "email": email, "keyID": key_id, "scope": scope, "time": time}

    def request(kind, name="key", bucket=BUCKETS[0], host=HOSTS[0], time=TIMES[3], parameters=None, headers=(), others=(),
                method="GET", key=HMAC_KEYS[0], expiry=900):
        parameters = parameters or {}
        case = {
            "kind": kind, "object": name, "bucket": bucket, "host": host, "time": time, "method": method,
            "parameters": parameters, "query": encoded(parameters), "headers": [*headers, *others], "expiry": expiry}
        case |= {"email": EMAILS[0], "keyID": None, "scope": SCOPES[0]} if kind == "url" else {"hmac": key}
        return case

    for kind in ("assertion", "selfSigned"):
        yield from (token(kind, email=email) for email in EMAILS)
        yield from (token(kind, key_id=key_id) for key_id in KEY_IDS)
        yield from (token(kind, scope=scope) for scope in SCOPES)
        yield from (token(kind, time=time) for time in TIMES)
    for kind in ("url", "hmacURL", "head"):
        yield from (request(kind, name=name) for name in NAMES)
        yield from (request(kind, bucket=bucket) for bucket in BUCKETS)
        yield from (request(kind, host=host) for host in HOSTS)
        yield from (request(kind, parameters=query) for query in QUERIES)
    yield from (request("hmacURL", key=key) for key in HMAC_KEYS)
    yield from (request("head", key=key) for key in HMAC_KEYS)
    yield from (request("head", headers=headers) for headers in HEADERS)
    yield from (request("head", others=others) for others in OTHERS)
    yield from (request("url", headers=HEADERS[index]) for index in (3, 4))
    for _ in range(40):
        yield request(
            "head", dice.choice(NAMES), dice.choice(BUCKETS), dice.choice(HOSTS), dice.choice(TIMES), dice.choice(QUERIES),
            dice.choice(HEADERS), dice.choice(OTHERS), dice.choice(["GET", "HEAD"]), dice.choice(HMAC_KEYS))
        yield request(
            "hmacURL", dice.choice(NAMES), dice.choice(BUCKETS), dice.choice(HOSTS), dice.choice(TIMES), dice.choice(QUERIES),
            key=dice.choice(HMAC_KEYS), expiry=dice.randint(1, 604800))


if __name__ == "__main__":
    KEY = pem()
    lines = []
    for number, case in enumerate(cases()):
        case["signed"] = signed(case)
        case["number"] = number
        case.pop("parameters", None)
        lines.append(json.dumps(case, ensure_ascii=True, sort_keys=True))
    (FOLDER / "signatures.jsonl").write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} cases")
