"""URL RANGES OUTPUT MODE: a plain HTTP client with eight threads and a connection each, for servers that cache; with `parts`, at most
8 MiB of one long range at a time."""

import concurrent.futures
import http.client
import sys
import threading
import urllib.parse

from common import in_parts, measured, ranges

url, wanted, output = urllib.parse.urlsplit(sys.argv[1]), ranges(sys.argv[2]), sys.argv[3]
local = threading.local()


def one(range_):
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(url.hostname, url.port, timeout=300)
    lower, upper = range_
    local.connection.request("GET", url.path, headers={"Range": f"bytes={lower}-{upper - 1}"})
    answer = local.connection.getresponse()
    body = answer.read()
    assert answer.status == 206, answer.status
    return body


def read():
    if sys.argv[4] == "parts":
        return in_parts(wanted, lambda lower, upper: one((lower, upper)), output)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, wanted))


measured(read, output)
