"""What Kubernetes, systemd and fresh volumes make of a cache directory between two starts."""

import stat
import shutil

from lib.checks import *
from lib.origin import *

os.mkdir(path("www"))
body = content(8_000_000)
open(path("www/object"), "wb").write(body)
os.utime(path("www/object"), (1.6e9, 1.6e9))
spill = path("spill")


def check_served(what, before=()):
    """Checks that it serves, ends with 0, and has kept on the disk what it served."""
    server = Serve(path("www"), "--far", "--spill", spill, "--memory", "4MiB", before=before)
    answer = server.base and server.get("/object")
    is_right = answer and answer.body == body
    code = server.stop()
    check(f"{what}: serves, and ends with 0", is_right and code == 0, f"{answer}, exit {code}, {server.said}")
    kept = sum(entry.stat().st_size for folder, _, _ in os.walk(spill) for entry in os.scandir(folder) if entry.is_file())
    check("… with the disk", "--spill" not in server.said and kept > 1 << 20, f"{kept} bytes there, {server.said}")


def change_all(change):
    for folder, _, files in os.walk(spill):
        for name in [folder, *[os.path.join(folder, name) for name in files]]:
            change(name)


def anew(mode, *files):
    shutil.rmtree(spill)
    os.mkdir(spill)
    for name in files:
        if name.endswith("/"):
            os.mkdir(os.path.join(spill, name))
        else:
            open(os.path.join(spill, name), "w").close()
    os.chmod(spill, mode)


check_served("a new directory")
check_served("the same again")
change_all(lambda name: os.chmod(name, stat.S_IMODE(os.stat(name).st_mode) | 0o060))
os.chmod(spill, 0o2770)
check_served("opened to a group (fsGroup)")
os.chmod(spill, 0o755)
check_served("opened to all (CacheDirectoryMode)")
os.chmod(spill, 0o2700)
check_served("setgid")
anew(0o777)
check_served("empty, open to all (emptyDir)")
anew(0o700, "lost+found/")
check_served("a volume with lost+found")
anew(0o700, ".nfs000001", ".DS_Store")
check_served("with .nfs000001 and .DS_Store")
if os.geteuid() == 0 and shutil.which("setpriv"):
    anew(0o700)
    change_all(lambda name: os.chown(name, 12345, -1))
    check_served("of another user (DynamicUser)")
    anew(0o777)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    check_served("of root, open to all, for nobody (emptyDir)", before=nobody)
else:
    skip("directories of other users", "this is not root")
done()
