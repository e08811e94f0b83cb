"""URL RANGES OUTPUT MODE: rclone reads an object from its start into a file: `cat` by one connection, `copy` by eight. It is a
program of its own, so what it takes to read one byte of a file of this machine is subtracted."""

import json
import os
import resource
import statistics
import subprocess
import sys
import time

url, ranges, output, mode = sys.argv[1:]
base, _, name = url.rpartition("/")
REMOTE = ["--config", "/dev/null", "--http-url", f"{base}/"]


def run(*arguments):
    start = time.monotonic()
    with open(output if arguments[0] == "cat" else os.devnull, "wb") as file:
        subprocess.run(["rclone", *arguments], stdout=file, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - start


idle = statistics.median(run("cat", "--count", "1", os.path.abspath(ranges)) for _ in range(5))
before = resource.getrusage(resource.RUSAGE_CHILDREN)
if mode == "cat":
    wall = run("cat", *REMOTE, f":http:{name}")
else:
    wall = run("copyto", *REMOTE, f":http:{name}", output, "--multi-thread-streams", "8", "--multi-thread-cutoff", "1M")
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps({"wall": wall - idle, "cpu": cpu, "rss": usage.ru_maxrss * 1024, "start": idle}))
