"""Runs the program: `rangeio serve` over a folder, and the tool. RANGEIO says where it is."""

import os
import queue
import re
import subprocess
import threading
import time
import urllib.request

PROGRAM = os.environ.get("RANGEIO", "rangeio")
# A process that takes longer hangs.
HANG = 60
YEARS_AGO = 1_600_000_000

# Nothing of the person who runs this: no proxy, no credentials, no profile.
environment = {
    name: value for name, value in os.environ.items()
    if not name.lower().endswith("_proxy") and not name.startswith("AWS_")}
environment.update(SWIFT_BACKTRACE="enable=no", AWS_EC2_METADATA_DISABLED="true")


def content(count):
    """Bytes that differ from place to place."""
    return b"".join(b"%09d\n" % place for place in range(0, count + 10, 10))[:count]


def write(folder, name, data=b""):
    """Makes a file of years ago, and the folders on its way; its path."""
    path = os.path.join(str(folder), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, (YEARS_AGO, YEARS_AGO))
    return path


class Run:
    """What a program has left: `code`, `out`, `said`."""

    def __init__(self, command, env=None, **more):
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG, env={**environment, **(env or {})}, **more)
        self.code, self.out, self.said = ended.returncode, ended.stdout, ended.stderr.decode(errors="replace").strip()

    def __repr__(self):
        return f"<exit {self.code}, {len(self.out)} bytes, {self.said[-600:]!r}>"


def tool(*arguments, **more):
    return Run([PROGRAM, *map(str, arguments)], **more)


class Serve:
    """A `rangeio serve` that runs. `place` is where it says that it is; `base` is that without the last slash."""

    def __init__(self, *arguments, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", *map(str, arguments), "--listen", listen],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        self.lines, places = [], queue.Queue()
        threading.Thread(target=self._listen, args=(places,), daemon=True).start()
        try:
            self.place = places.get(timeout=HANG)
        except queue.Empty:
            self.place = None
        if self.place is None:
            self.process.kill()
            raise RuntimeError(f"rangeio serve does not start: {' '.join(self.lines)}")
        self.base = self.place.rstrip("/")

    def _listen(self, places):
        for line in self.process.stderr:
            self.lines.append(line.decode(errors="replace").strip())
            if found := re.match(r"rangeio: serving .* at (\S+)", self.lines[-1]):
                places.put(found[1])
        places.put(None)

    def settle(self, *names):
        """Waits until these files have strong tags and dates: a file that was written a moment ago has none."""
        for name in names:
            for _ in range(200):
                request = urllib.request.Request(f"{self.base}/{name}", method="HEAD")
                fields = urllib.request.urlopen(request, timeout=HANG).headers
                if fields["Last-Modified"] and not fields.get("ETag", "W/").startswith("W/"):
                    break
                time.sleep(0.05)
            else:
                raise RuntimeError(f"{name} gets no strong tag: {fields}")
        return self

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
