"""Runs the tool, compares what came with what is right, prints a line for each, and ends with what they come to.

RANGEIO is the tool, READS the program beside this folder; scripts/check-situations.sh sets them.
"""

import collections
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
import urllib.parse

RANGEIO = os.environ.get("RANGEIO", "rangeio")
READS = os.environ.get("READS", "Reads")
# A process that takes longer hangs.
HANG = 120

scratch = tempfile.mkdtemp(prefix="rangeio-situation-")
# Others may go into it, as nginx and `nobody` do.
os.chmod(scratch, 0o755)
environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
# A crash is told of in a line, not in the seconds that a backtrace takes.
environment["SWIFT_BACKTRACE"] = "enable=no"
_results = collections.Counter()
_servers = []


def _end(code):
    """Ends the program, whatever its threads still do."""
    for server in _servers:
        server.kill()
    shutil.rmtree(scratch, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _failed(*error):
    traceback.print_exception(*error)
    _end(1)


sys.excepthook = _failed


def check(what, right, came=""):
    """Tells whether `what` is right, and if not, what came."""
    _results["right" if right else "wrong"] += 1
    print(f"  {'ok   ' if right else 'WRONG'} {what}" + ("" if right else f": {came}"), flush=True)


def skip(what, why):
    _results["left out"] += 1
    print(f"  -     {what}: left out: {why}", flush=True)


def done():
    """Ends the program: a last line with the counts, and a failure if anything was wrong, or nothing was checked."""
    print(", ".join(f"{_results[kind]} {kind}" for kind in ("right", "wrong", "left out") if _results[kind]))
    _end(1 if _results["wrong"] or not _results else 0)


def path(name):
    return os.path.join(scratch, name)


class Run:
    """What a program has left: `code`, `out` and `said`. `code` is -1 where it hung."""

    def __init__(self, command, **more):
        try:
            ended = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG,
                env={**environment, **more.pop("env", {})}, **more)
            self.code, self.out, self.said = ended.returncode, ended.stdout, ended.stderr.decode(errors="replace").strip()
        except subprocess.TimeoutExpired as error:
            self.code, self.out, self.said = -1, error.stdout or b"", f"no end within {HANG} s"

    def __str__(self):
        return f"exit {self.code}, {len(self.out)} bytes, {self.said[-600:]}"


def tool(*arguments, **more):
    return Run([RANGEIO, *arguments], **more)


def check_bytes(what, run, right):
    """Checks that the program has written these bytes, and has not failed."""
    check(what, run.code == 0 and run.out == right, f"{run}, not {len(right)} bytes")


def check_failure(what, run, code, *words):
    """Checks that the program has failed with that code, and a message with these words."""
    check(what, run.code == code and all(word in run.said for word in words), f"{run}, not {code} {words}")


def check_copy(what, run, name, right):
    """Checks that the copy called `name` is there, and right, with nothing beside it."""
    came = open(path(name), "rb").read() if os.path.exists(path(name)) else None
    beside = [other for other in os.listdir(scratch) if other.startswith(name + ".")]
    check(
        what, run.code == 0 and came == right and not beside,
        f"{run}, {'no file' if came is None else f'{len(came)} bytes'}, not {len(right)}; beside it {beside}")


class Serve:
    """A `rangeio serve` that runs: `base` is its URL, or `None` where it has ended before it served."""

    def __init__(self, *arguments, env=None, before=()):
        self.process = subprocess.Popen(
            [*before, RANGEIO, "serve", *arguments, "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**environment, **(env or {})})
        _servers.append(self.process)
        self.lines, self.base = [], None
        self._more = threading.Condition()
        for line in self.process.stderr:
            self.lines.append(line.decode(errors="replace").strip())
            if found := re.search(r"serving .* at (http://\S+)", self.lines[-1]):
                self.base = found[1]
                break
        # What it says later, so that it never waits for a full pipe.
        self._rest = threading.Thread(target=self._listen, daemon=True)
        self._rest.start()

    def _listen(self):
        for line in self.process.stderr:
            with self._more:
                self.lines.append(line.decode(errors="replace").strip())
                self._more.notify_all()

    def line(self, beginning):
        """The last line that begins so, when it has come."""
        with self._more:
            self._more.wait_for(lambda: any(line.startswith(beginning) for line in self.lines), HANG)
            return [line for line in self.lines if line.startswith(beginning)][-1]

    @property
    def said(self):
        return " ".join(self.lines)

    @property
    def port(self):
        return urllib.parse.urlsplit(self.base).port

    def get(self, target, wanted=None, **more):
        return get(self.port, target, wanted, **more)

    def statistics(self):
        return json.loads(self.get("/-/stats").body)

    def stop(self):
        """Ends it; the exit code."""
        self.process.terminate()
        try:
            code = self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = -1
        self._rest.join()
        return code


class Answer:
    """`status`, `body`, and whether it `is_whole`. `status` is `None` where none came."""

    def __init__(self, status, body, is_whole):
        self.status, self.body, self.is_whole = status, body, is_whole

    def __str__(self):
        return f"{self.status}, {len(self.body)} bytes{'' if self.is_whole else ', cut'}"


def get(port, target, wanted=None, timeout=HANG):
    """What 127.0.0.1 answers, asked for the range `wanted` of `target`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", target, headers={"Range": f"bytes={wanted}"} if wanted else {})
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException):
        return Answer(None, b"", False)
    try:
        return Answer(answer.status, answer.read(), True)
    except http.client.IncompleteRead as error:
        return Answer(answer.status, error.partial, False)
    except OSError:
        return Answer(answer.status, b"", False)
    finally:
        connection.close()


Part = collections.namedtuple("Part", "bytes code transient message")


def reads(*arguments):
    """The parts that the program Reads prints, each with its bytes or an error; and what there is to say where they are wrong."""
    run = Run([READS, *arguments])
    parts = []
    for line in run.out.decode(errors="replace").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "bytes":
            parts.append(Part(bytes.fromhex(rest), None, False, ""))
        elif kind == "error":
            code, transient, message = rest.split(" ", 2)
            parts.append(Part(None, code, transient == "transient", message))
    if run.code != 0:
        parts.append(Part(None, f"exit {run.code}", False, run.said))
    return parts


def shown(parts):
    return "; ".join(f"{len(part.bytes)} bytes" if part.code is None else f"{part.code}: {part.message}" for part in parts)
