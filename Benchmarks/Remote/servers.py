"""nginx, and links before it, on free ports of this machine."""

import ctypes
import os
import random
import shutil
import socket
import statistics
import subprocess
import time

MEBIBYTE = 1 << 20


def sharpen_timers():
    """Timers of this process and all that it starts fire within a microsecond, not within fifty: the links have to be
    exact."""
    try:
        ctypes.CDLL(None).prctl(29, 1, 0, 0, 0)  # PR_SET_TIMERSLACK
    except AttributeError:
        pass


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def make_object(path, byte_count, seed):
    """Bytes that nothing compresses, the same for a seed. Its date is old, so that its version is settled."""
    if not (os.path.exists(path) and os.path.getsize(path) == byte_count):
        numbers = random.Random(seed)
        with open(path + ".new", "wb") as file:
            for _ in range(byte_count // MEBIBYTE):
                file.write(numbers.randbytes(MEBIBYTE))
        os.rename(path + ".new", path)
    os.utime(path, (1_600_000_000 + 100 * seed,) * 2)


class Nginx:
    """Serves a folder, and counts requests by its log; or, if it is to be quick, with a worker for each processor and without a
    log."""

    def __init__(self, root, scratch, is_quick=False):
        self.port = free_port()
        self.log = os.path.join(scratch, "access.log")
        os.makedirs(scratch, exist_ok=True)
        open(self.log, "w").close()
        folders = "".join(
            f"  {kind}_temp_path {scratch}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;\n" if os.geteuid() == 0 else ""
        with open(os.path.join(scratch, "nginx.conf"), "w") as file:
            file.write(
                f"{user}daemon off;\n{'worker_processes auto' if is_quick else 'master_process off'};\npid {scratch}/nginx.pid;\nevents {{ worker_connections 4096; }}\n"
                f"http {{\n{folders}  log_format line '$request_method $status $body_bytes_sent $http_range';\n"
                f"  access_log {'off' if is_quick else self.log + ' line'};\n  keepalive_requests 1000000;\n  sendfile on;\n"
                f"  default_type application/octet-stream;\n"
                f"  server {{ listen 127.0.0.1:{self.port}; root {root}; autoindex on; }}\n}}\n")
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [program, "-p", scratch, "-c", f"{scratch}/nginx.conf", "-e", f"{scratch}/error.log"])
        wait_for(self.port)

    def take_requests(self):
        """The requests since the last call: method, status, bytes of the body and what was asked for."""
        time.sleep(0.05)
        with open(self.log, "r+") as file:
            lines = [line.split() for line in file]
            file.truncate(0)
        return [(method, int(status), int(count), " ".join(asked)) for method, status, count, *asked in lines]

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Link:
    """A link of so many milliseconds there and back, and so many bytes a second for each connection."""

    def __init__(self, program, target, milliseconds, rate):
        self.process = subprocess.Popen(
            [program, str(target), str(milliseconds), str(rate)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.port = int(self.process.stdout.readline())

    @classmethod
    def calibrated(cls, program, target, milliseconds, rate):
        """A link on which a request that is alone takes the latency and the time of its bytes, and no more: what the
        server, the link and this machine take is part of the latency."""
        link = cls(program, target, milliseconds, rate)
        excess = link.excess(milliseconds / 1000, rate)
        link.stop()
        return cls(program, target, milliseconds - 1000 * excess, rate)

    def excess(self, latency, rate):
        """How much longer than that a request takes, in seconds: the median of some, one after the other."""
        times = []
        with socket.create_connection(("127.0.0.1", self.port)) as one:
            for number in range(21):
                first = 65_536 * number
                text = f"GET /object HTTP/1.1\r\nHost: a\r\nRange: bytes={first}-{first + 4095}\r\n\r\n"
                start = time.monotonic()
                one.sendall(text.encode())
                answer = b""
                while b"\r\n\r\n" not in answer or len(answer) - answer.index(b"\r\n\r\n") < 4100:
                    answer += one.recv(65_536)
                times.append(time.monotonic() - start - latency - len(answer) / rate)
        return statistics.median(times)

    def counts(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        up, down, delivered, connections = map(int, self.process.stdout.readline().split())
        return {"up": up, "down": down, "delivered": delivered, "connections": connections}

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def wait_for(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.01)
    raise SystemExit(f"nothing listens at {port}")
