"""A network mount fails an operation once or twice, and then answers rightly."""

import errno

from lib.checks import *
from lib.mount import *
from lib.origin import *

body = content(1 << 20)
COUNT = 4096
# The error of a read, and whether trying again helps.
ERRORS = {
    "ESTALE": ("sourceChanged", False), "EIO": ("inputOutput", True), "EREMOTEIO": ("inputOutput", True),
    "ENODATA": ("inputOutput", True), "ENOTCONN": ("inputOutput", True), "ECONNRESET": ("inputOutput", True),
    "EHOSTDOWN": ("inputOutput", True), "ETIMEDOUT": ("timedOut", True), "EAGAIN": ("inputOutput", True),
    "ENOMEM": ("resourcesExhausted", True), "EKEYEXPIRED": ("inputOutput", True), "EACCES": ("permissionDenied", False),
    "ENOSPC": ("resourcesExhausted", True), "EDQUOT": ("resourcesExhausted", True),
}
mount = Memory(direct=True)
if not mount.place:
    skip("a mount that fails", "this user may not mount by /dev/fuse")
    done()

rest = [body[offset : offset + COUNT] for offset in (65536, 131072)]
ranges = [f"{offset}:{COUNT}" for offset in (0, 65536, 131072)]
for name, (code, transient) in ERRORS.items():
    number = getattr(errno, name)
    for operation in "read", "open":
        file = f"{name}-{operation}"
        mount.put(file, body)
        mount.fail(file, operation, number, 1)
        parts = reads("bare", f"{mount.place}/{file}", "--", *ranges)
        what = f"{name} of {operation}"
        if parts and parts[0].code is None and operation == "open":
            check(f"{what}: opened again", [part.bytes for part in parts] == [body[:COUNT], *rest], shown(parts))
        else:
            is_right = parts and (parts[0].code, parts[0].transient) == (code, transient)
            check(f"{what}: {code}{', transient' if transient else ''}", is_right, parts and parts[0])
            if operation == "read":
                check("… and later reads are right", [part.bytes for part in parts[1:]] == rest, shown(parts))
        if transient:
            mount.fail(file, operation, number, 2)
            parts = reads("retrying", f"{mount.place}/{file}", "--", ranges[0])
            check(f"{what} twice, with retries: right", [part.bytes for part in parts] == [body[:COUNT]], shown(parts))

for name, number in ("half of what was asked for", 0), ("EINTR", errno.EINTR):
    mount.put(name, body)
    mount.fail(name, "read", number, 2)
    parts = reads("bare", f"{mount.place}/{name}", "--", *ranges)
    check(f"{name}: right", [part.bytes for part in parts] == [body[:COUNT], *rest], shown(parts))
mount.put("tool", body)
mount.fail("tool", "read", errno.EIO, 1)
run = tool("cat", f"{mount.place}/tool")
is_right = run.code == 0 and run.out == body or run.code == 1 and "try again" in run.said
check("EIO of the tool's read: right, or an error that says to try again", is_right, run)
unmount(mount.place)
done()
