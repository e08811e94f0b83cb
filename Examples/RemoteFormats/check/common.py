"""What the checks of the three programs share: they run a program, compare what it prints, and count what it read."""

import os
import re
import subprocess
import sys
import time
import urllib.request

PROGRAMS = os.environ["REMOTE_FORMATS_PROGRAMS"]
FOLDER = os.environ["REMOTE_FORMATS_FILES"]
# Where nginx serves the folder, and its log; not set: the files are read as files.
URL = os.environ.get("REMOTE_FORMATS_URL")
LOG = os.environ.get("REMOTE_FORMATS_LOG")

checks = 0


def path(name):
    return os.path.join(FOLDER, name)


def make_old(name):
    """A file that was written a moment ago may still change within the resolution of its time, and is not cached."""
    then = time.time() - 3600
    os.utime(path(name), (then, then))


def fail(what):
    sys.exit(f"check: {what}")


def equal(found, expected, what):
    global checks
    checks += 1
    if found != expected:
        fail(f"{what}: found\n{found!r:.2000}\nand not\n{expected!r:.2000}")


def served():
    """The requests that nginx has answered: method, status, bytes of the body, range."""
    # Logged after everything that was answered before.
    marker = f"/marker-{time.monotonic_ns()}"
    try:
        urllib.request.urlopen(URL + marker).close()
    except urllib.error.HTTPError:
        pass
    for _ in range(1000):
        with open(LOG) as log:
            lines = [line.split("\t") for line in log.read().splitlines()]
        if lines and lines[-1][4] == marker:
            return [line for line in lines if "marker-" not in line[4]]
        time.sleep(0.01)
    fail("nginx logs nothing")


def run(program, name, *arguments, requests, fails=False):
    """Runs a program on the file `name`.

    requests: the most requests for bytes that it may make.
    fails: whether it must fail; then returns its message.
    """
    before = len(served()) if URL else 0
    place = f"{URL}/{name}" if URL else path(name)
    ended = subprocess.run([os.path.join(PROGRAMS, program), place, *arguments], capture_output=True, timeout=120)
    message = ended.stderr.decode()
    what = f"{program} {name} {' '.join(arguments)}"
    if fails:
        if ended.returncode != 1:
            fail(f"{what}: ended with {ended.returncode}, and not as a failure: {message}")
        return message
    if ended.returncode != 0:
        fail(f"{what}: ended with {ended.returncode}: {message}")
    counted = re.search(r"(\d+) requests?, (\d+) of (\d+) bytes", message)
    if not counted:
        fail(f"{what}: does not say what it read: {message}")
    count, read, size = map(int, counted.groups())
    equal(size, os.path.getsize(path(name)), f"{what}: the size")
    # One more for the size.
    if count > requests + (1 if URL else 0):
        fail(f"{what}: {count} requests, and {requests} for bytes are enough")
    if URL:
        lines = served()[before:]
        gets = [line for line in lines if line[0] == "GET"]
        equal(len(lines), count, f"{what}: the requests that came to nginx, {lines}")
        equal(sum(int(line[2]) for line in gets), read, f"{what}: the bytes that nginx sent, {lines}")
        if any(line[1] != "206" for line in gets):
            fail(f"{what}: not only ranges were asked for: {lines}")
    return ended.stdout, count, read


def done(what):
    print(f"check: {what}: {checks} comparisons, {'from nginx' if URL else 'from files'}")
