"""Copies, outputs and a disk tier on a mount that can do little and tells of no room, and on file systems that are too small."""

from lib.checks import *
from lib.mount import *
from lib.origin import *

body = content(12_000_000)
source = path("source")
open(source, "wb").write(body)
origin = Origin(lambda request, send: honest(request, send, body))


def check_right(what, run, name, right):
    came = open(name, "rb").read() if os.path.exists(name) else None
    check(what, run.code == 0 and came == right, f"{run}, {'no file' if came is None else len(came)}")


def check_none(what, run, name, word):
    """Checks that there is no file, and a message with that word."""
    check(what, run.code == 1 and not os.path.exists(name) and word in run.said, run)


def check_disk(what, place, *words):
    """Checks that a server with its disk there serves right bytes, and either keeps them or says these words."""
    spill = f"{place}/spill"
    server = Serve(origin.url("/"), "--spill", spill, "--spill-limit", "20MiB", "--memory", "4MiB")
    starts = [index * 7_895_243 % (len(body) - 65536) for index in range(60)]
    is_right = server.base and server.get("/object").body == body
    for start in starts if is_right else []:
        is_right &= server.get("/object", f"{start}-{start + 65535}").body == body[start : start + 65536]
    check(f"{what}: serve --spill serves right bytes", is_right, server.said)
    code = server.stop()
    check("… and ends with 0", code == 0, f"{code}, {server.said}")
    if words:
        is_right = all(word in server.said for word in ("--spill", *words)) and "freeSpaceFloor" not in server.said
        check("… keeps none, and says why", is_right, server.said)
    else:
        run = tool("spill", "list", spill)
        check("… and keeps them", b"/object" in run.out, run.out)


mount = Memory()
if place := mount.place:
    what = "no flags, no room told"
    check_right(f"{what}: copy", tool("copy", source, f"{place}/a"), f"{place}/a", body)
    check("… and nothing beside it", os.listdir(place) == ["a"], os.listdir(place))
    check_failure("… a copy is replaced by --force only", tool("copy", source, f"{place}/a"), 1, "--force")
    check_right("… and by that", tool("copy", source, f"{place}/a", "--force"), f"{place}/a", body)
    check_right(f"{what}: copy of a URL", tool("copy", origin.url(), f"{place}/b"), f"{place}/b", body)
    run = tool("read", source, "--range", "0-999", "--output", f"{place}/c")
    check_right(f"{what}: read --output", run, f"{place}/c", body[:1000])
    check_disk(what, place)
    unmount(place)
else:
    skip("a mount that can do little", "this user may not mount by /dev/fuse")

if place := mounted("tmpfs", "nr_inodes=4,size=50m"):
    what = "four files at most"
    check_right(f"{what}: copy", tool("copy", source, f"{place}/a"), f"{place}/a", body)
    check_right("… with --force", tool("copy", source, f"{place}/a", "--force"), f"{place}/a", body)
    for number in range(3 - len(os.listdir(place))):
        open(f"{place}/more{number}", "w").close()
    check_none(f"{what}: a copy too many", tool("copy", origin.url(), f"{place}/b"), f"{place}/b", "space")
    run = tool("read", source, "--range", "0-999", "--output", f"{place}/c")
    check_none(f"{what}: an output too many", run, f"{place}/c", "space")
    check_disk(what, place, "no space left")
    unmount(place)

    place = mounted("tmpfs", "ro")
    what = "read-only"
    check_none(f"{what}: copy", tool("copy", source, f"{place}/a"), f"{place}/a", "read-only")
    run = tool("read", source, "--range", "0-999", "--output", f"{place}/c")
    check_none(f"{what}: read --output", run, f"{place}/c", "read-only")
    check_disk(what, place, "read-only")
    unmount(place)

    place = mounted("tmpfs", "size=300m")
    check_disk("300 MB", place, "must stay free")
    unmount(place)
else:
    skip("small file systems", "this user may not mount")
done()
