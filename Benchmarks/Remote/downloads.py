#!/usr/bin/env python3
"""What `rangeio serve` makes of a local file in the page cache, beside nginx: whole downloads of 4 GiB by curl, and ranges of 64 KiB
by wrk with connections that stay. Both serve the same file, in turn. Prints a table in Markdown: medians.

Usage: downloads.py --rangeio PROGRAM [--rounds N] [--gibibytes N]
  PROGRAM: built for release with --traits Tool,Serve. nginx, curl and wrk must be installed. The client shares the processors with the
  server; the column of the processor counts the server alone.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from servers import Nginx, free_port, make_object, wait_for

RANGES = """
local size = %d
math.randomseed(7)
request = function()
  local first = math.random(0, size / 65536 - 1) * 65536
  wrk.headers["Range"] = "bytes=" .. first .. "-" .. (first + 65535)
  return wrk.format("GET", "/object")
end
"""


class Serve:
    def __init__(self, program, root):
        self.port = free_port()
        self.process = subprocess.Popen(
            [program, "serve", root, "--listen", f"127.0.0.1:{self.port}"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        wait_for(self.port)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def processor_seconds(port):
    """What the processes that listen at `port`, and their children, have used so far."""
    listening = subprocess.run(["ss", "-Hltnp", f"sport = :{port}"], capture_output=True, text=True, check=True).stdout
    ticks = 0
    for number in set(re.findall(r"pid=(\d+)", listening)):
        fields = open(f"/proc/{number}/stat").read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def download(port, _):
    """GB a second."""
    begun = time.monotonic()
    answer = subprocess.run(
        ["curl", "-sf", "-o", "/dev/null", "-w", "%{size_download}", f"http://127.0.0.1:{port}/object"],
        capture_output=True, text=True, check=True)
    return int(answer.stdout) / (time.monotonic() - begun) / 1e9, int(answer.stdout) / 1e9


def ranges(port, script):
    """Thousands of requests a second."""
    answer = subprocess.run(
        ["wrk", "-t1", "-c32", "-d4s", "-s", script, f"http://127.0.0.1:{port}"], capture_output=True, text=True,
        check=True).stdout
    if "Non-2xx" in answer or "Socket errors" in answer:
        raise SystemExit(answer)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", answer)[1]) / 1000, int(
        re.search(r"(\d+) requests in", answer)[1]) / 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rangeio", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--gibibytes", type=int, default=4)
    options = parser.parse_args()
    for program in ("nginx", "curl", "wrk", "ss"):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            raise SystemExit(f"{program} is missing: install it (wrk and iproute2 are packages of Debian)")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.mkdir(f"{folder}/root")
        size = options.gibibytes << 30
        make_object(f"{folder}/root/object", size, 3)
        script = f"{folder}/ranges.lua"
        with open(script, "w") as file:
            file.write(RANGES % size)
        servers = {
            "nginx": Nginx(f"{folder}/root", f"{folder}/scratch", is_quick=True),
            "rangeio serve": Serve(options.rangeio, f"{folder}/root"),
        }
        measured = {}
        try:
            for _ in range(options.rounds):
                for name, server in servers.items():
                    for kind in (download, ranges):
                        before = processor_seconds(server.port)
                        rate, amount = kind(server.port, script)
                        cost = (processor_seconds(server.port) - before) / amount
                        measured.setdefault((kind, name), []).append((rate, cost))
        finally:
            for server in servers.values():
                server.stop()
    units = {
        download: (f"download of {options.gibibytes} GiB", "GB/s", "s of CPU a GB"),
        ranges: ("ranges of 64 KiB, 32 connections", "thousand/s", "ms of CPU each"),
    }
    print("| | | rate | nginx = 1 | server |\n|---|---|--:|--:|--:|")
    for (kind, name), rounds in measured.items():
        rate, cost = (statistics.median(column) for column in zip(*rounds))
        peer = statistics.median(rate for rate, _ in measured[kind, "nginx"])
        title, unit, of_cost = units[kind]
        print(f"| {title} | {name} | {rate:.2f} {unit} | {rate / peer:.2f} | {cost:.3f} {of_cost} |")


main()
