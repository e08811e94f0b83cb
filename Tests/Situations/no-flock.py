"""flock is not there, as on some mounts and in sandboxes, or always fails."""

import errno

from lib.checks import *
from lib.origin import *
from lib.preload import *

if not preloaded():
    skip("flock fails", "there is no C compiler")
    done()
os.mkdir(path("www"))
body = content(8_000_000)
open(path("www/object"), "wb").write(body)
os.utime(path("www/object"), (1.6e9, 1.6e9))
for name in "ENOSYS", "ENOLCK", "EOPNOTSUPP", "EIO", "EWOULDBLOCK":
    failing = preloaded(FLOCK_ERRNO=str(getattr(errno, name)))
    spill = path(f"spill-{name}")
    server = Serve(path("www"), "--far", "--spill", spill, "--memory", "4MiB", env=failing)
    answer = server.base and server.get("/object")
    check(f"{name}: serves right bytes", answer and answer.body == body, f"{answer}, {server.said}")
    code = server.stop()
    check("… and ends with 0", code == 0, f"{code}, {server.said}")
    has_disk = os.path.exists(spill) and any(entry.stat().st_size > 1 << 20 for entry in os.scandir(spill))
    if name in ("ENOSYS", "ENOLCK", "EOPNOTSUPP"):
        check("… with its disk, by locks of another kind", has_disk, f"{os.listdir(spill)}, {server.said}")
        run = tool("copy", path("www/object"), path(name), env=failing)
        check_copy(f"{name}: copies", run, name, body)
    else:
        check("… without its disk, and says why", not has_disk and "--spill" in server.said, server.said)
        run = tool("copy", path("www/object"), path(name), env=failing)
        is_right = run.code == 0 or run.code == 1 and not os.path.exists(path(name))
        check(f"{name}: copies, or says why not", is_right and (run.code == 0 or run.said), run)
done()
