#!/usr/bin/env python3
"""Writes signatures.jsonl beside this file: requests, and what botocore signs them with.

Run it where botocore is installed. The tests compare RangeIOS3's signer with every line. All keys are made up. The service
is s3, s3express (with the keys of a session) or sts (a form that is posted).
"""
import hashlib
import datetime
import json
import pathlib
import random
from unittest import mock
from urllib.parse import quote

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SEED = 20260102
SIGNED = ("range", "if-match")

PATHS = [
    "key", "a/b/c", "a//b", "//a", "a/../b", "./a", "..", "a/./b/", "a b", "a+b", "a%b", "a%20b", "a?b", "a#b", "a&b=c",
    "é", "e\u0301", "日本語/ファイル", "😀", "~tilde-_.", "!'()*", "a:b@c", "$,;=", "[x]{y}|\\^`\"<>", "\t", "\u00a0", "x" * 100,
    "tiles/0/0/0.pbf", "part=1/date=2026-01-02/f.parquet", "trailing/",
]
QUERIES = [
    "", "versionId=3sL4kqtJlcpXroDTDmJ", "versionId=null", "versionId=", "a", "a=", "a=&b", "b=2&a=1", "a=2&a=1", "a=b&a=a&a",
    "A=1&a=2", "a%20b=c%2Fd", "x-id=GetObject", "response-content-type=text%2Fplain", "a=b=c", "a&&b", "&a=1", "a=%E2%82%AC&a%3Db=%26",
    "partNumber=1&versionId=abc", "a=~-._",
]
HOSTS = [
    "https://s3.us-east-1.amazonaws.com", "https://bucket.s3.eu-central-1.amazonaws.com", "https://s3.cn-north-1.amazonaws.com.cn",
    "http://127.0.0.1:9000", "https://minio.example:8443", "https://minio.example:443", "http://minio.example:80",
    "https://minio.example:80", "https://MinIO.Example", "http://[::1]:9000", "https://[fd00:ec2::23]",
    "https://account.r2.cloudflarestorage.com", "https://storage.googleapis.com",
]
REGIONS = ["us-east-1", "eu-central-1", "ap-southeast-2", "cn-north-1", "us-gov-west-1", "auto", "default"]
TIMES = [
    "1970-01-01T00:00:00", "1999-12-31T23:59:59", "2000-02-29T12:00:00", "2024-02-29T00:00:00", "2026-01-02T03:04:05",
    "2026-11-23T02:20:00", "2038-01-19T03:14:08", "2100-02-28T23:59:59", "2100-03-01T00:00:00", "9999-12-31T23:59:59",
]
KEYS = [
    ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", None),
    ("ASIAEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "FwoGZXIvYXdzEBYaD/+==token"),
    ("GOOG1EXAMPLE", "secret with space and ü", None),
    ("user/with/slash", "s", "t"),
    ("A", "k" * 200, "x" * 400),
]
HEADERS = [
    [], [["Range", "bytes=0-0"]], [["range", "bytes=1048576-2097151"]],
    [["Range", "bytes=0-99"], ["If-Match", "\"9b2cf535f27731c974343645a3985328\""]],
    [["If-Match", "\"a b  c\""]], [["Range", "  bytes=5-6  "]],
    [["x-amz-request-payer", "requester"]], [["X-Amz-Meta-B", "2"], ["x-amz-meta-a", "1"], ["Range", "bytes=0-1"]],
    [["x-amz-meta-a", "1"], ["x-amz-meta-a", "2"]], [["x-amz-meta-empty", ""]],
    [["x-amz-server-side-encryption-customer-algorithm", "AES256"], ["x-amz-server-side-encryption-customer-key", "a2V5"]],
]
# Never signed, so never shown to botocore.
UNSIGNED = [
    [], [["Accept-Encoding", "identity"]], [["User-Agent", "x"], ["Accept", "*/*"]], [["Cache-Control", "no-cache"]],
    [["If-None-Match", "\"a\""], ["Connection", "keep-alive"], ["Content-Type", "text/plain"]],
]


def signature(case):
    """What botocore makes of a case: fields of the head, or a query."""
    time = datetime.datetime.fromisoformat(case["time"])
    headers = [h for h in case["headers"] if h[0].lower() in SIGNED or h[0].lower().startswith("x-amz-")]
    path = "/" + quote(case["key"], safe="/~-_.")
    url = case["host"] + path + ("?" + case["query"] if case["query"] else "")
    request = AWSRequest(method=case["method"], url=url)
    for name, value in headers:
        request.headers.add_header(name, value)
    key = Credentials(case["id"], case["secret"], case["token"])
    service = case["service"]
    header, parameters = botocore.auth.S3SigV4Auth, botocore.auth.S3SigV4QueryAuth
    more = {}
    if service == "s3express" and case["token"]:
        header, parameters = botocore.auth.S3ExpressAuth, botocore.auth.S3ExpressQueryAuth
        more = {"identity_cache": None}
    if service == "sts":
        header = botocore.auth.SigV4Auth
        request.data = case["body"]
        # Sent with every request, and so signed.
        request.headers["X-Amz-Content-SHA256"] = hashlib.sha256(case["body"].encode()).hexdigest()
    with mock.patch.object(botocore.auth, "get_current_datetime", lambda *_, **__: time):
        if case["expiry"]:
            signer = parameters(key, service, case["region"], expires=case["expiry"], **more)
            signer.add_auth(request)
            return {"query": request.url.split("?", 1)[1]}
        if case["unsigned"]:
            class Config:
                s3 = {"payload_signing_enabled": False}
            request.context["client_config"] = Config()
            request.context["payload_signing_enabled"] = False
        signer = header(key, service, case["region"], **more)
        signer.add_auth(request)
    names = ["X-Amz-Date", "X-Amz-Content-SHA256", "X-Amz-Security-Token", "x-amz-s3session-token", "Authorization"]
    return {"fields": {n.lower(): request.headers[n] for n in names if n in request.headers}}


def host_field(url):
    return botocore.auth._host_from_url(url)


def cases():
    dice = random.Random(SEED)
    key = KEYS[0]

    def case(method="GET", host=HOSTS[0], name="key", query="", headers=(), others=(), keys=key, region=REGIONS[0], time=TIMES[4],
             expiry=0, unsigned=False, service="s3", body=""):
        return {
            "method": method, "host": host, "key": name, "query": query, "headers": [*headers, *others], "id": keys[0],
            "secret": keys[1], "token": keys[2], "region": region, "time": time, "expiry": expiry, "unsigned": unsigned, "service": service, "body": body,
        }

    # One thing at a time …
    for expiry in (0, 900):
        yield from (case(name=name, expiry=expiry) for name in PATHS)
        yield from (case(host=host, expiry=expiry) for host in HOSTS)
        yield from (case(region=region, expiry=expiry) for region in REGIONS)
        yield from (case(time=time, expiry=expiry) for time in TIMES)
        yield from (case(keys=keys, expiry=expiry) for keys in KEYS)
    yield from (case(query=query) for query in QUERIES)
    yield from (case(query=query, expiry=60) for query in PRESIGNABLE)
    yield from (case(headers=headers) for headers in HEADERS)
    yield from (case(others=others) for others in UNSIGNED)
    yield from (case(headers=HEADERS[3], expiry=expiry) for expiry in (1, 604800))
    yield case(method="HEAD")
    yield case(unsigned=True)
    session = KEYS[1]
    host = "https://base--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com"
    for keys in (session, KEYS[0]):
        yield case(host=host, name="", query="session", headers=[["x-amz-create-session-mode", "ReadOnly"]], keys=keys,
                   service="s3express")
        yield from (case(host=host, name=name, keys=keys, service="s3express") for name in PATHS)
        yield from (case(host=host, headers=headers, keys=keys, service="s3express") for headers in HEADERS)
        yield from (case(host=host, name=name, keys=keys, expiry=300, service="s3express") for name in PATHS[:5])
    for region, keys in zip(REGIONS * 3, KEYS * 4):
        yield case(method="POST", host=f"https://sts.{region}.amazonaws.com", name="", keys=keys, region=region, service="sts",
                   body=f"Action=AssumeRole&Version=2011-06-15&RoleArn={quote(keys[0], safe='')}")
    # … and all of it together.
    for _ in range(120):
        expiry = dice.choice([0, 0, 0, dice.randint(1, 604800)])
        yield case(
            dice.choice(["GET", "HEAD"]), dice.choice(HOSTS), dice.choice(PATHS), dice.choice(PRESIGNABLE if expiry else QUERIES),
            dice.choice(HEADERS), dice.choice(UNSIGNED), dice.choice(KEYS), dice.choice(REGIONS), dice.choice(TIMES), expiry,
            dice.choice([True, False]) and not expiry)


# botocore's signer for queries drops repeated parameters and adds "=" to names without one: those are left out.
PRESIGNABLE = ["", "versionId=3sL4kqtJlcpXroDTDmJ", "versionId=", "b=2&a=1", "A=1&a=2", "response-content-type=text%2Fplain",
               "a=%E2%82%AC&a%3Db=%26", "partNumber=1&versionId=abc", "a=~-._"]

if __name__ == "__main__":
    lines = []
    for number, case in enumerate(cases()):
        case["number"] = number
        case["hostField"] = host_field(case["host"])
        case["signed"] = signature(case)
        lines.append(json.dumps(case, ensure_ascii=True, sort_keys=True))
    path = pathlib.Path(__file__).with_name("signatures.jsonl")
    path.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} cases")
