"""A store sends the Content-Encoding that an object was stored with, whatever was asked for; ranges are of the stored bytes."""

from lib.checks import *
from lib.origin import *

body = content(300_000)


def of_s3(origin):
    return ["s3://bucket/object", "--endpoint", origin.url(""), "--no-sign", "--region", "us-east-1"]


for coding in "UTF-8", "utf-8", "binary", "zip", "aws-chunked", "identity":
    origin = Origin(lambda request, send: honest(request, send, body, fields=[("Content-Encoding", coding)]))
    run = tool("read", origin.url(), "--range", "1000-1999")
    check_bytes(f"{coding} is no coding: read over http", run, body[1000:2000])
    check_bytes(f"{coding}: read over s3", tool("read", *of_s3(origin), "--range", "1000-1999"), body[1000:2000])
origin = Origin(lambda request, send: honest(request, send, body, fields=[("Content-Encoding", "gzip")]))
for source in [origin.url()], of_s3(origin):
    kind = source[0].partition(":")[0]
    run = tool("read", *source, "--range", "1000-1999")
    check_failure(f"gzip over {kind}: refused, and the message names the way out", run, 1, "--accept-encoded")
    run = tool("read", *source, "--range", "1000-1999", "--accept-encoded")
    check_bytes(f"gzip over {kind} with --accept-encoded: the stored bytes", run, body[1000:2000])
done()
