#!/usr/bin/env python3
"""Writes signatures.jsonl beside this file: requests, and what azure-storage-blob signs them with.

Run it where azure-storage-blob is installed. The tests compare RangeIOAzure's signer with every line. All keys are made up.
Nothing is sent: a transport of our own stops each request when it is complete.
"""
import base64
import datetime
import hashlib
import json
import pathlib
import random
from email.utils import formatdate
from unittest import mock
from urllib.parse import quote

from azure.core import MatchConditions
from azure.core.pipeline import PipelineContext, PipelineRequest
from azure.core.pipeline.transport import HttpRequest, HttpTransport
from azure.storage.blob import (
    AccountSasPermissions, BlobClient, BlobSasPermissions, ContainerSasPermissions, CustomerProvidedEncryptionKey,
    ResourceTypes, UserDelegationKey, generate_account_sas, generate_blob_sas, generate_container_sas)
from azure.storage.blob._shared import policies
from azure.storage.blob._shared.authentication import SharedKeyCredentialPolicy

SEED = 20260102
COUNT = 200

BLOBS = [
    "blob", "a/b/c", "a//b", "/a", "a b", "a+b", "a%b", "a%20b", "a?b", "a#b", "a&b=c", "é", "e\u0301", "日本語/ファイル", "😀",
    "~tilde-_.x", "!'()*", "a:b@c", "$,;=", "[x]{y}|^`\"<>", "\t", "\u00a0", "x" * 100, "tiles/0/0/0.pbf",
    "part=1/date=2026-01-02/f.parquet", "trailing/", "\\back", "A/ß/İ",
]
CONTAINERS = ["tiles", "$root", "$web", "a-b-c", "0123"]
ENDPOINTS = [
    "https://maps.blob.core.windows.net", "https://maps.blob.core.chinacloudapi.cn", "https://maps.blob.core.usgovcloudapi.net",
    "https://maps.z01.blob.storage.azure.net", "http://127.0.0.1:10000/maps", "http://azurite:10000/maps",
    "http://[::1]:10000/maps", "https://maps.blob.core.windows.net:8443",
]
KEYS = [b"secret", b"\x00\xff" * 32, b"k" * 200, "ü".encode(), bytes(range(64))]
TIMES = [0, 951825600, 1767323045, 1795400400, 2147483647, 4102444799]
MOMENTS = [
    {}, {}, {"version_id": "2026-01-02T03:04:05.1234567Z"}, {"snapshot": "2026-01-02T03:04:05.1234567Z"},
    {"version_id": "a b+c/d=&e"},
]
TAGS = [None, '"0x8D4BCC2E4835CD0"', '"a b  c"', '"é"']
# Names that the service sorts otherwise than by bytes stand among them.
FIELDS = [
    {}, {}, {"x-ms-meta-b": "2", "x-ms-meta-a": "1"}, {"x-ms-meta-a-b": "1", "x-ms-meta-ab": "2", "x-ms-meta-a_b": "3"},
    {"x-ms-zeta": "1", "x-ms-meta-1": "2", "x-ms-meta--1": "3"}, {"x-ms-metax": "a  b", "x-ms-meta-x": "c"},
    {"Content-Type": "text/plain", "Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="},
    {"Content-Language": "de", "Content-Encoding": "gzip"}, {"Cache-Control": "no-cache", "x-other": "y"},
    {"If-None-Match": "\"x\"", "If-Modified-Since": "Fri, 02 Jan 2026 03:04:05 GMT"},
    {"x-ms-client-request-id-x": "1", "x-ms-client-request-idx": "2", "x-ms-client-requestid": "3"},
]
QUERIES = [
    "", "comp=metadata", "a=1&b=2", "snapshot=2026-01-02T03%3A04%3A05Z&timeout=30", "b=%E2%82%AC&a=x%2Fy%20z", "a=&b=1",
    "A=1&B=2",    "a=b=c", "a=+", "timeout=30&comp=list&prefix=%C3%A9",
]
RANGES = [None, "bytes=0-0", "bytes=1048576-2097151", "bytes=5-"]


class Stopped(Exception):
    """The request is complete."""


class NoTransport(HttpTransport):
    """Sends nothing."""

    def send(self, request, **kwargs):
        raise Stopped(request)

    def open(self):
        pass

    def close(self):
        pass

    def __exit__(self, *args):
        pass


def text(key):
    return base64.b64encode(key).decode()


def client_case(dice):
    """A request as the vendor's client makes it, taken from its pipeline."""
    account, endpoint, time = "maps", dice.choice(ENDPOINTS), dice.choice(TIMES)
    container, blob, moment = dice.choice(CONTAINERS), dice.choice(BLOBS), dice.choice(MOMENTS)
    key, tag, fields, isHead = dice.choice(KEYS), dice.choice(TAGS), dice.choice(FIELDS), dice.random() < 0.3
    options = {"headers": dict(fields), "client_request_id": f"id-{time}"}
    if tag:
        options |= {"etag": tag, "match_condition": MatchConditions.IfNotModified}
    if "version_id" in moment:
        options["version_id"] = moment["version_id"]
    if dice.random() < 0.2:
        digest = base64.b64encode(hashlib.sha256(b"k" * 32).digest()).decode()
        options["cpk"] = CustomerProvidedEncryptionKey(key_value=text(b"k" * 32), key_hash=digest)
        if not endpoint.startswith("https"):
            options.pop("cpk")
    client = BlobClient(
        endpoint, container, blob, snapshot=moment.get("snapshot"), transport=NoTransport(), retry_total=0,
        credential={"account_name": account, "account_key": text(key)})
    with mock.patch.object(policies, "time", lambda: time):
        try:
            if isHead:
                client.get_blob_properties(**options)
            else:
                client.download_blob(offset=dice.choice([0, 7, 1 << 20]), length=dice.choice([1, 65_536, 1 << 30]), **options)
        except Stopped as stopped:
            request = stopped.args[0]
    names = dict(request.headers)
    signature = names.pop("Authorization")
    # Not signed, and another on each machine.
    names.pop("User-Agent")
    return {
        "kind": "client", "method": request.method, "url": request.url, "fields": sorted(names.items()), "account": account,
        "key": text(key), "authorization": signature, "endpoint": endpoint, "container": container, "blob": blob,
        "versionID": moment.get("version_id"), "snapshot": moment.get("snapshot"),
    }


def policy_case(dice):
    """A request of our own, signed by the vendor's policy alone."""
    account, endpoint, key = dice.choice(["maps", "a1", "devstoreaccount1"]), dice.choice(ENDPOINTS), dice.choice(KEYS)
    path = "/" + quote(dice.choice(CONTAINERS)) + "/" + quote(dice.choice(BLOBS), safe="~/")
    query = dice.choice(QUERIES)
    fields = {"x-ms-date": formatdate(dice.choice(TIMES), usegmt=True), "x-ms-version": "2021-12-02", **dice.choice(FIELDS)}
    if tag := dice.choice(TAGS):
        fields["If-Match"] = tag
    wanted = dice.choice(RANGES)
    request = HttpRequest(dice.choice(["GET", "HEAD"]), endpoint + path + ("?" + query if query else ""))
    request.headers.update(fields)
    # The policy looks for the range by this name: the vendor's client sends x-ms-range, never Range.
    if wanted:
        request.headers["byte_range"] = wanted
    SharedKeyCredentialPolicy(account, text(key)).on_request(PipelineRequest(request, PipelineContext(NoTransport())))
    if wanted:
        fields["Range"] = wanted
    return {
        "kind": "policy", "method": request.method, "url": request.url, "fields": sorted(fields.items()), "account": account,
        "key": text(key), "authorization": request.headers["Authorization"],
    }


def delegation_key():
    key = UserDelegationKey()
    key.signed_oid, key.signed_tid = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"
    key.signed_start, key.signed_expiry = "2026-01-02T03:04:05Z", "2026-01-09T03:04:05Z"
    key.signed_service, key.signed_version, key.value = "b", "2021-12-02", text(b"delegated")
    return key


def sas_case(dice):
    """A shared access signature of each kind, which goes into requests as it is."""
    end = datetime.datetime.fromtimestamp(dice.choice(TIMES[2:]), datetime.timezone.utc)
    kind, key = dice.choice(["account", "container", "blob", "version", "delegation", "policy", "date"]), text(dice.choice(KEYS))
    container, blob = "tiles", dice.choice(BLOBS)
    more = dice.choice([{}, {"start": end - datetime.timedelta(days=1)}, {"ip": "10.0.0.1-10.0.0.9"}, {"protocol": "https"}])
    if kind == "account":
        query = generate_account_sas("maps", key, ResourceTypes(object=True), AccountSasPermissions(read=True), end, **more)
    elif kind == "container":
        query = generate_container_sas("maps", container, key, permission=ContainerSasPermissions(read=True), expiry=end, **more)
    elif kind == "version":
        query = generate_blob_sas(
            "maps", container, blob, account_key=key, permission=BlobSasPermissions(read=True), expiry=end,
            version_id="2026-01-02T03:04:05.1234567Z", content_disposition="a; b=\"c d\"", **more)
    elif kind == "delegation":
        query = generate_blob_sas(
            "maps", container, blob, user_delegation_key=delegation_key(), permission=BlobSasPermissions(read=True),
            expiry=end, **more)
    elif kind == "policy":
        query = generate_blob_sas("maps", container, blob, account_key=key, policy_id="of the container")
    elif kind == "date":
        end = end.replace(hour=0, minute=0, second=0)
        query = generate_blob_sas(
            "maps", container, blob, account_key=key, permission="r", expiry=end.strftime("%Y-%m-%d"), **more)
    else:
        query = generate_blob_sas(
            "maps", container, blob, account_key=key, permission=BlobSasPermissions(read=True), expiry=end,
            cache_control="no-cache", **more)
    return {"kind": "sas", "blob": blob, "query": query, "expiry": None if kind == "policy" else int(end.timestamp())}


def cases():
    dice = random.Random(SEED)
    for number in range(COUNT):
        make = client_case if number < 100 else policy_case if number < 165 else sas_case
        yield {"number": number, **make(dice)}


if __name__ == "__main__":
    lines = [json.dumps(case, ensure_ascii=True, sort_keys=True) for case in cases()]
    pathlib.Path(__file__).with_name("signatures.jsonl").write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} cases")
