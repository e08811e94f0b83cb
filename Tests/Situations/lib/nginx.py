"""An nginx that serves a folder."""

import os
import shutil
import signal
import socket
import subprocess
import threading

from lib.checks import HANG, scratch


class Nginx:
    @classmethod
    def started(cls, folder):
        """One that serves `folder`, or `None` if nginx is not installed."""
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        return program and cls(program, folder)

    def __init__(self, program, folder):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.log = os.path.join(scratch, "requests")
        temporary = "".join(
            f"{kind}_temp_path {scratch}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root; " if os.geteuid() == 0 else ""
        configuration = f"""daemon off; master_process off; pid {scratch}/pid; error_log stderr notice; {user}
            events {{}} http {{ log_format all '$request_method $status $http_range'; access_log {self.log} all; {temporary}
            server {{ listen 127.0.0.1:{self.port}; root {folder}; }} }}"""
        name = os.path.join(scratch, "nginx.conf")
        with open(name, "w") as file:
            file.write(configuration)
        # Of one before.
        open(self.log, "w").close()
        self.process = subprocess.Popen(
            [program, "-c", name], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            # It says so when it listens.
            if "event method" in line:
                break
        else:
            raise SystemExit("nginx does not start: " + "".join(said))
        # Never waits for a full pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def url(self, target):
        return f"http://127.0.0.1:{self.port}{target}"

    def stop(self):
        """Ends it, and what it does; the lines of its log."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(HANG)
        with open(self.log) as file:
            return file.read().splitlines()
