#!/usr/bin/env python3
"""What `rangeio copy` makes of a link of 20 ms and 25 MB/s a connection, and what ten kills on the way cost. Prints, in Markdown,
the time of a copy of 1 GiB beside the least that eight connections take, and the bytes of a copy that was killed over and over.

Usage: copies.py --rangeio PROGRAM --link PROGRAM [--copies N] [--kills N]
  PROGRAM: `rangeio`, built for release with --traits Tool,HTTP, and `LinkServer` of this folder's package. nginx must be
  installed.
"""

import argparse
import filecmp
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from servers import Link, Nginx, make_object, sharpen_timers

SIZE, CONNECTIONS, DELAY, RATE = 1 << 30, 8, 20, 25e6


def quick(rangeio, url, folder, copies):
    """The shares of the link's rate that copies reach."""
    shares = []
    for number in range(copies):
        target = f"{folder}/copy{number}"
        begun = time.monotonic()
        subprocess.run([rangeio, "copy", url, target], check=True, stderr=subprocess.DEVNULL)
        shares.append(SIZE / (CONNECTIONS * RATE) / (time.monotonic() - begun))
        check(target, folder)
    return shares


def killed(rangeio, url, folder, kills):
    """Copies, killed so many times, each 0.2 to 0.8 s after it began."""
    wait = random.Random(5)
    for _ in range(kills):
        process = subprocess.Popen([rangeio, "copy", url, f"{folder}/killed"], stderr=subprocess.DEVNULL)
        try:
            process.wait(0.2 + 0.6 * wait.random())
            sys.exit("a copy ended before it was killed: choose fewer kills")
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    subprocess.run([rangeio, "copy", url, f"{folder}/killed"], check=True, stderr=subprocess.DEVNULL)
    check(f"{folder}/killed", folder)


def check(copy, folder):
    if not filecmp.cmp(copy, f"{folder}/root/object", shallow=False):
        sys.exit(f"{copy} is not the object")
    os.unlink(copy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rangeio", required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--kills", type=int, default=10)
    options = parser.parse_args()
    sharpen_timers()
    with tempfile.TemporaryDirectory() as folder:
        # nginx may run as another user.
        os.chmod(folder, 0o755)
        os.mkdir(f"{folder}/root")
        make_object(f"{folder}/root/object", SIZE, 3)
        nginx = Nginx(f"{folder}/root", f"{folder}/scratch")
        link = Link.calibrated(options.link, nginx.port, DELAY, RATE)
        try:
            url = f"http://127.0.0.1:{link.port}/object"
            shares = quick(options.rangeio, url, folder, options.copies)
            before = link.counts()
            killed(options.rangeio, url, folder, options.kills)
            after = link.counts()
        finally:
            link.stop()
            nginx.stop()
    each = ", ".join(f"{share:.3f}" for share in shares)
    print(f"| `rangeio copy` of 1 GiB, {DELAY} ms away, {CONNECTIONS} connections of 25 MB/s | |\n|---|--:|")
    print(f"| rate, the link's = 1 (median of {each}) | {statistics.median(shares):.3f} |")
    for name, key in (("came out of the link", "delivered"), ("went into it, what was on its way at a kill among them", "down")):
        print(f"| bytes with {options.kills} kills that {name}, the object's = 1 | {(after[key] - before[key]) / SIZE:.4f} |")


main()
