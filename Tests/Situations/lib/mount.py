"""Mounts: file systems of the kernel, and one of our own in memory, by FUSE without a library. It fails as it is told, and can do
little, as network mounts do: no flags of renames, no room reserved, no holes, no modes.
"""

import ctypes
import errno
import os
import stat
import struct
import threading
import time

from lib.checks import Run, path

_libc = ctypes.CDLL(None, use_errno=True)
DETACH = 2


def mounted(kind, options):
    """Where a new file system of that kind is, or `None` where this user may mount none."""
    place = path(f"mount{len(os.listdir(path('')))}")
    os.mkdir(place)
    return place if Run(["mount", "-t", kind, "-o", options, kind, place]).code == 0 else None


def unmount(place):
    _libc.umount2(place.encode(), DETACH)


class Node:
    def __init__(self, number, mode):
        self.number, self.mode, self.changed = number, mode, time.time_ns()
        self.data, self.children = bytearray(), {}


class Memory:
    """A file system in memory. `fail` has operations fail, and `place` is where it is mounted, or `None` where this user may mount
    none."""

    def __init__(self, direct=False):
        """With `direct`, the kernel caches nothing of it."""
        self.direct, self.faults, self.place = direct, {}, None
        self.nodes = {1: Node(1, stat.S_IFDIR | 0o755)}
        try:
            self.device = os.open("/dev/fuse", os.O_RDWR)
        except OSError:
            return
        place = path(f"mount{len(os.listdir(path('')))}")
        os.mkdir(place)
        options = f"fd={self.device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
        if _libc.mount(b"situation", place.encode(), b"fuse", 0, options.encode()) == 0:
            self.place = place
            threading.Thread(target=self._serve, daemon=True).start()

    def put(self, name, data):
        """A file of an hour ago in the root."""
        node = self._new(self.nodes[1], name, stat.S_IFREG | 0o644)
        node.data, node.changed = bytearray(data), time.time_ns() - 3600 * 10**9

    def fail(self, name, operation, number, count):
        """Has the next `count` of `operation` (open, read or look) of that file end with that error. 0: with half of what was
        asked for."""
        self.faults[self.nodes[1].children[name.encode()].number, operation] = [number, count]

    def _new(self, parent, name, mode):
        node = Node(max(self.nodes) + 1, mode)
        self.nodes[node.number] = parent.children[name if isinstance(name, bytes) else name.encode()] = node
        return node

    # MARK: the protocol: https://man7.org/linux/man-pages/man4/fuse.4.html

    def _serve(self):
        while True:
            try:
                message = os.read(self.device, (1 << 20) + 4096)
            except InterruptedError:
                continue
            except OSError:
                return  # unmounted
            operation, unique, number = struct.unpack_from("<IQQ", message, 4)
            if operation in (2, 36, 42):  # FORGET, INTERRUPT, BATCH_FORGET
                continue
            try:
                answer, failure = self._answer(operation, self.nodes[number or 1], message[40:]), 0
            except OSError as error:
                answer, failure = b"", error.errno
            try:
                os.write(self.device, struct.pack("<IiQ", 16 + len(answer), -failure, unique) + answer)
            except OSError:
                pass  # nobody waits for it any more

    def _answer(self, operation, node, body):
        known = {
            1: self._lookup, 3: self._look, 4: self._set, 9: self._mkdir, 10: self._unlink, 11: self._unlink, 12: self._rename,
            14: self._open, 15: self._read, 16: self._write, 17: self._room, 26: self._begin, 27: self._open, 28: self._list,
            35: self._create}
        if operation in known:
            return known[operation](node, body)
        if operation in (18, 20, 25, 29, 30, 38):  # RELEASE, FSYNC, FLUSH, RELEASEDIR, FSYNCDIR, DESTROY
            return b""
        raise OSError(errno.ENOSYS, "")

    def _fault(self, node, operation):
        """Whether half of what was asked for is to come."""
        number, count = self.faults.get((node.number, operation), (0, 0))
        if not count:
            return False
        self.faults[node.number, operation][1] -= 1
        if number:
            raise OSError(number, "")
        return True

    @staticmethod
    def _name(body):
        return body.split(b"\0")[0]

    @staticmethod
    def _child(node, name):
        if name not in node.children:
            raise OSError(errno.ENOENT, "")
        return node.children[name]

    @staticmethod
    def _attributes(node):
        seconds, rest = divmod(node.changed, 10**9)
        return struct.pack(
            "<6Q10I", node.number, len(node.data), (len(node.data) + 511) // 512, seconds, seconds, seconds, rest, rest, rest,
            node.mode, 1, os.getuid(), os.getgid(), 0, 4096, 0)

    def _entry(self, node):
        return struct.pack("<4Q2I", node.number, 0, 0, 0, 0, 0) + self._attributes(node)

    def _begin(self, node, body):
        _, minor, ahead, _ = struct.unpack_from("<4I", body)
        return struct.pack("<4I2H2I2HI28x", 7, min(minor, 31), ahead, 0, 16, 12, 1 << 17, 1, 0, 0, 0)

    def _lookup(self, node, body):
        return self._entry(self._child(node, self._name(body)))

    def _look(self, node, body):
        self._fault(node, "look")
        return struct.pack("<Q2I", 0, 0, 0) + self._attributes(node)

    def _set(self, node, body):
        what, size = struct.unpack_from("<I12xQ", body)
        if what & 1:
            raise OSError(errno.EPERM, "")
        if what & 8:
            del node.data[size:]
            node.data.extend(bytes(size - len(node.data)))
        node.changed = time.time_ns()
        return struct.pack("<Q2I", 0, 0, 0) + self._attributes(node)

    def _mkdir(self, node, body):
        mode, = struct.unpack_from("<I", body)
        return self._entry(self._new(node, self._name(body[8:]), stat.S_IFDIR | mode & 0o777))

    def _unlink(self, node, body):
        if self._child(node, self._name(body)).children:
            raise OSError(errno.ENOTEMPTY, "")
        del node.children[self._name(body)]
        return b""

    def _rename(self, node, body):
        folder, = struct.unpack_from("<Q", body)
        old, new = body[8:].split(b"\0")[:2]
        self.nodes[folder].children[new] = self._child(node, old)
        del node.children[old]
        return b""

    def _opened(self):
        return struct.pack("<Q2I", 0, 1 if self.direct else 0, 0)

    def _open(self, node, body):
        self._fault(node, "open")
        return self._opened()

    def _create(self, node, body):
        _, mode = struct.unpack_from("<2I", body)
        return self._entry(self._new(node, self._name(body[16:]), stat.S_IFREG | mode & 0o777)) + self._opened()

    def _read(self, node, body):
        _, offset, size = struct.unpack_from("<2QI", body)
        if self._fault(node, "read"):
            size = (size + 1) // 2
        return bytes(node.data[offset : offset + size])

    def _write(self, node, body):
        _, offset, size = struct.unpack_from("<2QI", body)
        node.data.extend(bytes(max(0, offset - len(node.data))))
        node.data[offset : offset + size] = body[40 : 40 + size]
        node.changed = time.time_ns()
        return struct.pack("<2I", size, 0)

    def _room(self, node, body):
        # As mounts that do not know how much there is.
        return struct.pack("<5Q4I24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)

    def _list(self, node, body):
        _, offset, size = struct.unpack_from("<2QI", body)
        out = b""
        for index, (name, child) in enumerate(list(node.children.items())[offset:], offset + 1):
            entry = struct.pack("<2Q2I", child.number, index, len(name), child.mode >> 12) + name
            entry += bytes(-len(entry) % 8)
            if len(out) + len(entry) > size:
                break
            out += entry
        return out
