"""Dates that are those of the answer, or lie years ahead, with and without a strong tag; of files, too."""

from lib.checks import *
from lib.nginx import *
from lib.origin import *

body = content(3_000_000)
right = body[1_000_000:1_001_000]
# As a camera writes it whose clock is wrong.
AHEAD = time.time() + 3e8
wanted = ["1000000:1000"] * 3
times = {"years ago": 1.6e9, "years ahead": AHEAD}
files = {when: path(when.replace(" ", "-")) for when in times}
for when, name in files.items():
    open(name, "wb").write(body)
    os.utime(name, (times[when], times[when]))


def dated(tag, date):
    return Origin(lambda request, send: honest(request, send, body, tag=tag, date=date()))


def moving():
    """The time of the answer, which no two answers share."""
    start = iter(range(int(time.time()) - 1000, 1 << 40))
    return lambda: http_date(next(start))


for ways in [], ["head"]:
    by = " and ".join(["tag", *ways])
    origin = dated('"v"', moving())
    parts = reads(*ways, origin.url(), "--", *wanted)
    check(f"{by}, a date that moves: read", [part.bytes for part in parts] == [right] * 3, shown(parts))
    origin = dated('"v"', lambda: http_date(AHEAD))
    parts = reads(*ways, origin.url(), "--", *wanted)
    requests = origin.taken()
    check(f"{by}, a date that lies ahead: read", [part.bytes for part in parts] == [right] * 3, shown(parts))
    check("… and cached: two requests", len(requests) == 2, ", ".join(map(str, requests)))
    origin = dated(None, lambda: http_date(AHEAD))
    parts = reads(*ways, origin.url(), "--", *wanted)
    check(f"no {by}, one date that lies ahead: read", [part.bytes for part in parts] == [right] * 3, shown(parts))
origin = dated(None, moving())
parts = reads(origin.url(), "--", *wanted)
requests = origin.taken()
is_right = all(part.bytes == right or part.code == "sourceChanged" for part in parts)
check("no tag, a date that moves: right bytes, or a change that is told of", parts and is_right, shown(parts))
parts = reads("refresh", dated(None, moving()).url(), "--", *wanted)
is_right = all(part.bytes == right or part.code == "sourceChanged" for part in parts)
check("… with refresh, too", parts and is_right, shown(parts))

# Written long ago by now: what was written just now may be written again.
for when, name in files.items():
    run = tool("explain", name, "--range", "0-4095", *["--after", "0-4095"] * 2)
    check(f"a file of {when} is cached", run.code == 0 and b"memory" in run.out, run.out)

os.mkdir(path("www"))
for when, seconds in times.items():
    open(path("www/object"), "wb").write(body)
    os.utime(path("www/object"), (seconds, seconds))
    if not (nginx := Nginx.started(path("www"))):
        skip(f"nginx, a file of {when}", "nginx cannot be had")
        continue
    parts = reads(nginx.url("/object"), "--", *["1000000:1000"] * 10)
    requests = nginx.stop()
    check(f"nginx, a file of {when}: ten reads", [part.bytes for part in parts] == [right] * 10, shown(parts))
    check("… by two requests", len(requests) == 2, requests)
done()
