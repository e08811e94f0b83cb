"""What Ceph's s3-tests ask of reads, asked by the tool: it reads from moto, by a proxy that writes down each request.

Named after the cases of s3-tests, and written anew. Each case checks the bytes, and each request: botocore signs it the same, it asks for
one range at most, names the version that the first answer had, and none is for nothing.
"""

import json
import os
import re
import subprocess
import threading
import urllib.parse

import boto3
import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

import rangeio
from recorder import Recorder

NOT_APPLICABLE = {
    "test_object_write_*, test_object_copy_*, test_multipart_upload_*, test_post_object_*, test_multi_object_delete": "write",
    "test_object_set_get_metadata_*, test_get_obj_tagging, test_get_object_attributes*": "metadata, which the tool does not show",
    "test_bucket_acl_*, test_bucket_policy_*, test_access_bucket_*, test_cors_*, test_lifecycle_*, test_object_lock_*":
        "settings of buckets",
    "test_encryption_sse_c_*": "keys that the client sends, which the tool has no option for",
    "test_bucket_list_delimiter_alt, _percentage, _whitespace, _dot, _unreadable, _not_exist": "other delimiters than /: the tool has none",
    "test_bucket_listv2_maxkeys_*, _startafter_*, _fetchowner_*, test_bucket_list_marker_*": "parameters that the tool does not send",
    "test_get_object_ifmodifiedsince_*, test_get_object_ifunmodifiedsince_*": "S3 has tags, so the tool names no dates",
    "test_multipart_get_part, test_get_single_multipart_part": "partNumber, which the tool does not send",
    "test_object_read_unreadable": "a key that is no UTF-8, which S3 refuses",
    "test_buckets_*, test_bucket_create_naming_*, test_bucket_delete_*": "buckets are not made, listed or removed",
}
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing/secret+key"}
PAGE = 10


@pytest.fixture(scope="module")
def moto():
    """The port of a moto whose lists have pages of ten."""
    process = subprocess.Popen(
        [os.environ.get("MOTO_SERVER", "moto_server"), "-H", "127.0.0.1", "-p", "0"], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env={**rangeio.environment, "MOTO_S3_DEFAULT_MAX_KEYS": str(PAGE)})
    limit = threading.Timer(rangeio.HANG, process.kill)
    limit.start()
    try:
        port = next((int(found[1]) for line in process.stderr if (found := re.search(rb"http://127\.0\.0\.1:(\d+)", line))), None)
        limit.cancel()
        assert port, "moto does not start"
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield port
    finally:
        process.kill()


@pytest.fixture(scope="module")
def s3(moto):
    return boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{moto}", region_name="us-east-1", aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"])


@pytest.fixture(scope="module")
def proxy(moto):
    return Recorder(moto)


@pytest.fixture
def bucket(s3, proxy, request):
    name = "b-" + re.sub("[^a-z0-9]+", "-", request.node.name.lower())[-50:].strip("-")
    s3.create_bucket(Bucket=name)
    proxy.after, proxy.ages = None, True
    proxy.take()
    yield name
    proxy.after, proxy.ages = None, True


@pytest.fixture
def run(proxy):
    def run(*arguments, **more):
        proxy.take()
        ended = rangeio.tool(*arguments, "--endpoint", proxy.url, "--region", "us-east-1", **{"env": KEYS, **more})
        ended.exchanges = proxy.take()
        for exchange in ended.exchanges:
            check(exchange, signed="--no-sign" not in arguments)
        return ended

    return run


def check(exchange, signed=True):
    """Whether a request is one that S3's documents describe."""
    assert exchange.method in ("GET", "HEAD"), exchange
    assert exchange.fields["host"] and exchange.fields.get("content-length", "0") == "0"
    assert exchange.fields.get("accept-encoding", "identity") == "identity", exchange
    if "range" in exchange.fields:
        assert re.fullmatch(r"bytes=(\d+-\d*|-\d+)", exchange.fields["range"]), exchange
    if not signed:
        assert "authorization" not in exchange.fields
        return
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=(\S+?)/(\d{8})/us-east-1/s3/aws4_request, ?SignedHeaders=(\S+?), ?Signature=([0-9a-f]{64})",
        exchange.fields["authorization"])
    assert found and found[1] == KEYS["AWS_ACCESS_KEY_ID"], exchange.fields["authorization"]
    names = found[3].split(";")
    assert names == sorted(names) and {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names)
    # What botocore makes of the same request.
    request = AWSRequest(
        exchange.method, f"http://{exchange.fields['host']}{exchange.target}", {name: exchange.fields[name] for name in names})
    request.context["timestamp"] = exchange.fields["x-amz-date"]
    signer = S3SigV4Auth(Credentials(KEYS["AWS_ACCESS_KEY_ID"], KEYS["AWS_SECRET_ACCESS_KEY"]), "s3", "us-east-1")
    right = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    assert found[4] == right, f"{exchange}: botocore signs it otherwise"


def check_reads(exchanges, needed, slack=65_536):
    """Whether these requests read so many bytes of one version: pinned after the first, none twice, and little else."""
    assert exchanges and all(exchange.method == "GET" for exchange in exchanges), exchanges
    tag, version = exchanges[0].answer.get("etag"), exchanges[0].answer.get("x-amz-version-id")
    for exchange in exchanges[1:]:
        pinned = exchange.parameters.get("versionId") == version if version else exchange.fields.get("if-match") == tag
        assert pinned, f"{exchange} does not name the version {version or tag}"
    asked = [exchange.fields.get("range") for exchange in exchanges]
    assert len(set(asked)) == len(asked), f"asked twice: {asked}"
    got = sum(len(exchange.body) for exchange in exchanges if exchange.status in (200, 206))
    assert needed <= got <= needed + slack, f"{got} bytes came for {needed}: {exchanges}"


def put(s3, bucket, key, body, **more):
    return s3.put_object(Bucket=bucket, Key=key, Body=body, **more)


# MARK: ranges


def test_ranged_request_response_code(s3, bucket, run):
    put(s3, bucket, "testobj", b"testcontent")
    ended = run("read", f"s3://{bucket}/testobj", "-r", "4-7")
    assert (ended.code, ended.out) == (0, b"cont"), ended
    check_reads(ended.exchanges, 4)
    assert len(ended.exchanges) == 1


def test_ranged_big_request_response_code(s3, bucket, run):
    data = rangeio.content(8 << 20)
    put(s3, bucket, "testobj", data)
    ended = run("read", f"s3://{bucket}/testobj", "-r", "3145728-5242880")
    assert (ended.code, ended.out) == (0, data[3145728:5242881]), ended
    check_reads(ended.exchanges, 5242881 - 3145728)


def test_ranged_request_skip_leading_bytes_response_code(s3, bucket, run):
    put(s3, bucket, "testobj", b"testcontent")
    ended = run("read", f"s3://{bucket}/testobj", "-r", "4-")
    assert (ended.code, ended.out) == (0, b"content"), ended
    check_reads(ended.exchanges, 7)


@pytest.mark.parametrize("size", [11, 300_000])
def test_ranged_request_return_trailing_bytes_response_code(s3, bucket, run, size):
    data = rangeio.content(size)
    put(s3, bucket, "testobj", data)
    ended = run("read", f"s3://{bucket}/testobj", "--suffix", "7")
    assert (ended.code, ended.out) == (0, data[-7:]), ended
    check_reads(ended.exchanges, 7)
    assert len(ended.exchanges) <= 2


def test_ranged_request_invalid_range(s3, bucket, run):
    """Three requests at most: the range, how long the object is, and whether it has grown since."""
    put(s3, bucket, "testobj", b"testcontent")
    ended = run("read", f"s3://{bucket}/testobj", "-r", "40-50")
    assert (ended.code, ended.out) == (4, b""), ended
    assert [exchange.status for exchange in ended.exchanges] == [416, 206, 206], ended.exchanges


def test_ranged_request_empty_object(s3, bucket, run):
    put(s3, bucket, "testobj", b"")
    ended = run("read", f"s3://{bucket}/testobj", "-r", "40-50")
    assert (ended.code, ended.out) == (4, b""), ended
    whole = run("cat", f"s3://{bucket}/testobj")
    assert (whole.code, whole.out) == (0, b""), whole
    assert len(whole.exchanges) <= 2


def test_several_ranges(s3, bucket, run):
    """Of one object: none is asked for twice, and none as several in one request."""
    data = rangeio.content(2 << 20)
    put(s3, bucket, "testobj", data)
    ended = run("read", f"s3://{bucket}/testobj", "-r", "0-9,1000000-1000009,2000000-2000009")
    assert ended.out == data[:10] + data[1_000_000:1_000_010] + data[2_000_000:2_000_010], ended
    check_reads(ended.exchanges, 30, slack=3 * 65_536)


def test_object_just_written(s3, bucket, run, proxy):
    """It could change again under the same date: the tool asks for one byte more, of no version, to see whether it has."""
    proxy.ages = False
    data = rangeio.content(200_000)
    put(s3, bucket, "testobj", data)
    ended = run("read", f"s3://{bucket}/testobj", "-r", "150000-150009")
    assert (ended.code, ended.out) == (0, data[150_000:150_010]), ended
    looks = [exchange for exchange in ended.exchanges if "if-match" not in exchange.fields][1:]
    assert len(looks) <= 2 and all(exchange.fields["range"] == "bytes=0-0" for exchange in looks), ended.exchanges


# MARK: objects


def test_object_read_not_exist(bucket, run):
    ended = run("cat", f"s3://{bucket}/foo")
    assert (ended.code, ended.out) == (3, b""), ended
    assert [exchange.status for exchange in ended.exchanges] == [404]


def test_object_raw_get_bucket_gone(run):
    ended = run("cat", "s3://no-such-bucket-here/foo")
    assert ended.code == 3 and len(ended.exchanges) == 1, ended


def test_object_head_zero_bytes(s3, bucket, run):
    put(s3, bucket, "foo", b"")
    ended = run("info", f"s3://{bucket}/foo", "--json")
    assert ended.code == 0 and json.loads(ended.out)["byteCount"] == 0, ended


def test_object_write_read_update_read_delete(s3, bucket, run):
    for body in (b"bar", b"soup"):
        put(s3, bucket, "foo", body)
        assert run("cat", f"s3://{bucket}/foo").out == body
    s3.delete_object(Bucket=bucket, Key="foo")
    assert run("cat", f"s3://{bucket}/foo").code == 3


def test_object_read_big(s3, bucket, run):
    """All of 20 MiB: each byte once, and pinned."""
    data = rangeio.content(20 << 20)
    put(s3, bucket, "foo", data)
    ended = run("cat", f"s3://{bucket}/foo")
    assert ended.code == 0 and ended.out == data, ended
    check_reads(ended.exchanges, len(data), slack=0)


def test_object_copy_of_it(s3, bucket, run, tmp_path):
    """`rangeio copy`: eight ranges at a time, each byte once, and pinned."""
    data = rangeio.content(20 << 20)
    put(s3, bucket, "foo", data)
    ended = run("copy", f"s3://{bucket}/foo", tmp_path / "foo")
    assert ended.code == 0 and (tmp_path / "foo").read_bytes() == data, ended
    check_reads(ended.exchanges, len(data))


def test_multipart_upload(s3, bucket, run):
    """The tag of an object of parts is pinned as it is."""
    data = rangeio.content(12 << 20)
    upload = s3.create_multipart_upload(Bucket=bucket, Key="mymultipart")["UploadId"]
    parts = []
    for number, start in enumerate(range(0, len(data), 5 << 20), 1):
        part = s3.upload_part(
            Bucket=bucket, Key="mymultipart", PartNumber=number, UploadId=upload, Body=data[start : start + (5 << 20)])
        parts.append({"PartNumber": number, "ETag": part["ETag"]})
    s3.complete_multipart_upload(Bucket=bucket, Key="mymultipart", UploadId=upload, MultipartUpload={"Parts": parts})
    ended = run("read", f"s3://{bucket}/mymultipart", "-r", "5242000-10486000")
    assert ended.out == data[5_242_000:10_486_001], ended
    check_reads(ended.exchanges, 10_486_001 - 5_242_000)
    assert re.fullmatch(r'"[0-9a-f]{32}-3"', ended.exchanges[0].answer["etag"])


@pytest.mark.parametrize("key", [" ", '"', "$", "%", "&", "'", "<", ">", "_", "_ ", "_ _", "__"])
def test_bucket_create_special_key_names(s3, bucket, run, key):
    put(s3, bucket, key, key.encode() * 3)
    ended = run("cat", f"s3://{bucket}/{key}")
    assert (ended.code, ended.out) == (0, key.encode() * 3), ended


@pytest.mark.parametrize("key", [
    "a b", "a+b", "a%20b", "a%2Fb", "a?b=c", "a#b", "a//b", "a/./b", "a/../b", "ä/ö/漢字", "a~b-c.d_e", "(a)!*'@,:;=", "[a]{b}|^`\\"])
def test_object_odd_keys(s3, bucket, run, key):
    """After test_headers of s3-tests and the rules of S3: a key is taken as it is, and encoded once."""
    put(s3, bucket, key, key.encode())
    ended = run("cat", f"s3://{bucket}/{key}")
    assert ended.exchanges[0].path == f"/{bucket}/" + urllib.parse.quote(key, safe="/~"), ended.exchanges
    assert (ended.code, ended.out) == (0, key.encode()), ended


# MARK: who may read


def test_object_raw_get(s3, bucket, run):
    put(s3, bucket, "foo", b"bar", ACL="public-read")
    ended = run("cat", f"s3://{bucket}/foo", "--no-sign", env={})
    assert (ended.code, ended.out) == (0, b"bar"), ended


def test_object_raw_get_object_acl(s3, bucket, run):
    put(s3, bucket, "foo", b"bar")
    ended = run("cat", f"s3://{bucket}/foo", "--no-sign", env={})
    assert ended.code == 3 and [exchange.status for exchange in ended.exchanges] == [403], ended


def test_object_raw_get_x_amz_expires_not_expired(s3, bucket, proxy):
    """A signed URL is read as it is, in ranges."""
    data = rangeio.content(300_000)
    put(s3, bucket, "foo", data)
    signed = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "foo"}, ExpiresIn=600)
    url = re.sub(r"^http://[^/]+", proxy.url, signed)
    proxy.take()
    ended = rangeio.tool("read", url, "-r", "200000-200009")
    assert ended.out == data[200_000:200_010], ended
    exchanges = proxy.take()
    check_reads(exchanges, 10)
    assert {exchange.target for exchange in exchanges} == {signed.split(str(proxy.upstream), 1)[1]}
    assert not any("authorization" in exchange.fields for exchange in exchanges)


# MARK: conditions, and versions


def test_get_object_ifmatch_good(s3, bucket, run):
    data = rangeio.content(3 << 20)
    tag = put(s3, bucket, "foo", data)["ETag"]
    ended = run("cat", f"s3://{bucket}/foo")
    assert ended.out == data and len(ended.exchanges) > 1, ended
    assert {exchange.fields.get("if-match") for exchange in ended.exchanges[1:]} == {tag}


@pytest.mark.parametrize("size", [1 << 20, 4 << 20, 8 << 20], ids=["1mb", "4mb", "8mb"])
def test_atomic_read(s3, bucket, run, proxy, size):
    """The object is overwritten after the first answer: no bytes of both, and an error that says so."""
    put(s3, bucket, "testobj", b"A" * size)

    def overwrite(_):
        proxy.after = None
        put(s3, bucket, "testobj", b"B" * size)

    proxy.after = overwrite
    ended = run("cat", f"s3://{bucket}/testobj")
    assert len(set(ended.out)) <= 1, "bytes of two versions"
    assert ended.code == 5 if len(ended.exchanges) > 1 else ended.out == b"A" * size, ended
    if len(ended.exchanges) > 1:
        assert 412 in [exchange.status for exchange in ended.exchanges]


def test_get_object_ifmatch_failed(s3, bucket, run, proxy):
    """The tag that was pinned is gone: 412 ends the read, and is not asked for again."""
    put(s3, bucket, "foo", rangeio.content(2 << 20))

    def overwrite(_):
        proxy.after = None
        put(s3, bucket, "foo", b"other")

    proxy.after = overwrite
    ended = run("read", f"s3://{bucket}/foo", "-r", "0-9,1500000-1500009")
    assert ended.code == 5, ended
    assert [exchange.status for exchange in ended.exchanges].count(412) == 1, ended.exchanges


def versioned(s3, bucket):
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})


def test_versioning_obj_create_read_remove(s3, bucket, run):
    versioned(s3, bucket)
    versions = [put(s3, bucket, "testobj", f"content-{number}".encode())["VersionId"] for number in range(5)]
    for number, version in enumerate(versions):
        ended = run("cat", f"s3://{bucket}/testobj?versionId={version}")
        assert ended.out == f"content-{number}".encode(), ended
        assert [exchange.parameters.get("versionId") for exchange in ended.exchanges] == [version]
    assert run("cat", f"s3://{bucket}/testobj").out == b"content-4"
    s3.delete_object(Bucket=bucket, Key="testobj", VersionId=versions[4])
    assert run("cat", f"s3://{bucket}/testobj").out == b"content-3"
    assert run("cat", f"s3://{bucket}/testobj?versionId={versions[4]}").code == 3


def test_versioning_obj_create_versions_remove_special_names(s3, bucket, run):
    versioned(s3, bucket)
    for key in ("_testobj", "_", ":", " ", "a?versionId", "a?b"):
        version = put(s3, bucket, key, key.encode())["VersionId"]
        put(s3, bucket, key, b"newer")
        assert run("cat", f"s3://{bucket}/{key}?versionId={version}").out == key.encode(), key
        assert run("cat", f"s3://{bucket}/{key}").out == b"newer", key


def test_versioning_obj_suspend_versions(s3, bucket, run):
    put(s3, bucket, "testobj", b"null version")
    versioned(s3, bucket)
    put(s3, bucket, "testobj", b"numbered")
    assert run("cat", f"s3://{bucket}/testobj?versionId=null").out == b"null version"
    assert run("cat", f"s3://{bucket}/testobj").out == b"numbered"


def test_versioning_delete_marker(s3, bucket, run):
    versioned(s3, bucket)
    version = put(s3, bucket, "testobj", b"content")["VersionId"]
    s3.delete_object(Bucket=bucket, Key="testobj")
    assert run("cat", f"s3://{bucket}/testobj").code == 3
    assert run("cat", f"s3://{bucket}/testobj?versionId={version}").out == b"content"


@pytest.mark.parametrize("then", ["overwritten", "deleted"])
def test_versioned_atomic_read(s3, bucket, run, proxy, then):
    """In a bucket with versions a read goes on with the version that it began with."""
    versioned(s3, bucket)
    data = rangeio.content(4 << 20)
    put(s3, bucket, "testobj", data)

    def change(_):
        proxy.after = None
        if then == "deleted":
            s3.delete_object(Bucket=bucket, Key="testobj")
        else:
            put(s3, bucket, "testobj", b"other")

    proxy.after = change
    ended = run("cat", f"s3://{bucket}/testobj")
    assert ended.code == 0 and ended.out == data, ended
    check_reads(ended.exchanges, len(data), slack=0)


# MARK: conditions of those who read through `serve`


@pytest.fixture
def served(s3, bucket, proxy):
    data = rangeio.content(1 << 20)
    put(s3, bucket, "dir/foo", data)
    rangeio.environment.update(KEYS)
    with rangeio.Serve(f"s3://{bucket}/", "--endpoint", proxy.url, "--region", "us-east-1", "--revalidate", "0") as server:
        proxy.take()
        yield server, data
    for name in KEYS:
        rangeio.environment.pop(name)


def curl(url, *more):
    ended = rangeio.Run(["curl", "-sS", "-q", "-D", "-", *more, url])
    head, _, body = ended.out.partition(b"\r\n\r\n")
    fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.decode().split("\r\n")[1:])}
    return int(head.split()[1]), fields, body


def test_get_object_ifnonematch(served, proxy):
    """Of `serve`, and of what it asks the store: nothing is read again while the version is the same."""
    server, data = served
    status, fields, body = curl(f"{server.base}/dir/foo")
    assert (status, body) == (200, data)
    first = proxy.take()
    check_reads(first, len(data), slack=0)
    assert curl(f"{server.base}/dir/foo", "-H", f"If-None-Match: {fields['etag']}")[0] == 304
    assert curl(f"{server.base}/dir/foo", "-H", 'If-None-Match: "other"')[::2] == (200, data)
    again = proxy.take()
    for exchange in again:
        check(exchange)
    assert 1 <= len(again) <= 4 and sum(len(exchange.body) for exchange in again) <= 2, again


def test_get_object_ifmatch_of_serve(served, proxy, s3, bucket):
    server, data = served
    tag = curl(f"{server.base}/dir/foo", "-r", "0-9")[1]["etag"]
    assert curl(f"{server.base}/dir/foo", "-r", "5-9", "-H", f"If-Match: {tag}")[::2] == (206, data[5:10])
    put(s3, bucket, "dir/foo", b"another version")
    assert curl(f"{server.base}/dir/foo", "-r", "5-9", "-H", f"If-Match: {tag}")[0] == 412
    assert curl(f"{server.base}/dir/foo", "-r", "5-9", "-H", f"If-Range: {tag}")[::2] == (200, b"another version")
    for exchange in proxy.take():
        check(exchange)


# MARK: lists


def names(ended):
    assert ended.code == 0, ended
    return [entry["name"] for entry in json.loads(ended.out)]


def check_pages(exchanges, prefix, delimiter="/"):
    """Whether these requests are the pages of one list, in order."""
    token = None
    for exchange in exchanges:
        assert exchange.parameters.get("list-type") == "2" and exchange.parameters.get("prefix", "") == prefix, exchange
        assert exchange.parameters.get("delimiter") == delimiter and exchange.parameters.get("encoding-type") == "url", exchange
        assert exchange.parameters.get("continuation-token") == token, exchange
        found = re.search(rb"<NextContinuationToken>(.*?)</NextContinuationToken>", exchange.body)
        token = found[1].decode().replace("&amp;", "&") if found else None
    assert token is None, "the last page is missing"


def fill(s3, bucket, *keys):
    for key in keys:
        put(s3, bucket, key, key.encode())


def test_bucket_list_empty(bucket, run):
    ended = run("ls", f"s3://{bucket}/", "--json")
    assert names(ended) == [] and len(ended.exchanges) == 1


def test_bucket_notexist(run):
    ended = run("ls", "s3://no-such-bucket-here/")
    assert ended.code == 3 and len(ended.exchanges) == 1, ended


def test_bucket_list_return_data(s3, bucket, run):
    tags = {key: put(s3, bucket, key, key.encode() * 10)["ETag"].strip('"') for key in ("bar", "baz", "foo")}
    entries = json.loads(run("ls", f"s3://{bucket}/", "--json", "--long").out)
    assert {entry["name"]: (entry["byteCount"], entry["version"]) for entry in entries} == {
        key: (30, tag) for key, tag in tags.items()}


@pytest.mark.parametrize("count", [0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 2])
def test_bucket_listv2_continuationtoken(s3, bucket, run, count):
    keys = [f"key {number:03}" for number in range(count)]
    fill(s3, bucket, *keys)
    ended = run("ls", f"s3://{bucket}/", "--json")
    assert names(ended) == keys
    check_pages(ended.exchanges, "")
    assert len(ended.exchanges) == max(1, -(-count // PAGE))


def test_bucket_listv2_delimiter_basic(s3, bucket, run):
    fill(s3, bucket, "foo/bar", "foo/bar/xyzzy", "quux/thud", "asdf")
    ended = run("ls", f"s3://{bucket}/", "--json")
    assert sorted(names(ended)) == ["asdf", "foo/", "quux/"]
    check_pages(ended.exchanges, "")


def test_bucket_listv2_delimiter_none(s3, bucket, run):
    """-r: no delimiter."""
    fill(s3, bucket, "bar", "baz", "cab/x", "foo/y/z")
    ended = run("ls", "-r", f"s3://{bucket}/", "--json")
    assert names(ended) == ["bar", "baz", "cab/x", "foo/y/z"]
    check_pages(ended.exchanges, "", delimiter=None)


def test_bucket_list_delimiter_prefix(s3, bucket, run):
    fill(s3, bucket, "asdf", "boo/bar", "boo/baz/xyzzy", "cquux/thud", "cquux/bla")
    for prefix, right in (
        ("", ["asdf", "boo/", "cquux/"]), ("boo/", ["bar", "baz/"]), ("boo", ["boo/"]), ("cquux/b", ["bla"])):
        ended = run("ls", f"s3://{bucket}/{prefix}", "--json")
        assert sorted(names(ended)) == right, prefix
        check_pages(ended.exchanges, prefix)


def test_bucket_list_delimiter_prefix_ends_with_delimiter(s3, bucket, run):
    fill(s3, bucket, "asdf/")
    ended = run("ls", f"s3://{bucket}/asdf/", "--json")
    assert names(ended) == [""] and len(ended.exchanges) == 1, ended
    check_pages(ended.exchanges, "asdf/")


def test_bucket_list_delimiter_prefix_underscore(s3, bucket, run):
    fill(s3, bucket, "_obj1_", "_under1/bar", "_under1/baz/xyzzy", "_under2/thud", "_under2/bla")
    assert sorted(names(run("ls", f"s3://{bucket}/", "--json"))) == ["_obj1_", "_under1/", "_under2/"]


def test_bucket_list_prefix_not_exist(s3, bucket, run):
    fill(s3, bucket, "foo/bar")
    ended = run("ls", f"s3://{bucket}/d", "--json")
    assert names(ended) == [] and len(ended.exchanges) == 1


def test_bucket_list_special_prefix(s3, bucket, run):
    fill(s3, bucket, "_bla/1", "_bla/2", "_bla/3", "_bla/4", "abcd")
    assert len(names(run("ls", f"s3://{bucket}/", "--json"))) == 2
    assert len(names(run("ls", f"s3://{bucket}/_bla/", "--json"))) == 4


def test_bucket_list_encoding_basic(s3, bucket, run):
    """Names come encoded (encoding-type=url), and are shown as they are."""
    keys = ["asdf+b", "foo+1/bar", "foo/bar/xyzzy", "quux ab/thud", "a%20b", "<&\">", "ä漢"]
    fill(s3, bucket, *keys)
    ended = run("ls", "-r", f"s3://{bucket}/", "--json")
    assert sorted(names(ended)) == sorted(keys)


def test_bucket_list_many_folders(s3, bucket, run):
    """Folders over several pages: each once."""
    fill(s3, bucket, *[f"dir{number:02}/{name}" for number in range(25) for name in "ab"])
    ended = run("ls", f"s3://{bucket}/", "--json")
    assert names(ended) == [f"dir{number:02}/" for number in range(25)]
    check_pages(ended.exchanges, "")


def test_bucket_list_objects_anonymous(s3, bucket, run):
    s3.put_bucket_acl(Bucket=bucket, ACL="public-read")
    fill(s3, bucket, "foo")
    ended = run("ls", f"s3://{bucket}/", "--no-sign", env={})
    assert ended.code == 0 and b"foo" in ended.out, ended
