#!/usr/bin/env python3
"""Reads objects over links, by RangeIO and by others.

    measure.py scattered --link near --rounds 7 --results FILE
    measure.py warm --rounds 3 --results FILE
    measure.py replaced --results FILE
    measure.py world --link 20x20 --rounds 3 --workloads first,last --results FILE
    report.py FILE FOLDER

A link of `world` is called by its milliseconds and by its MB/s for each connection; `all` is the nine of the table.

`run.sh` does all of them. Each program runs in a fresh process, the programs one after the other in each round. Results
are appended to FILE as lines of JSON, so that parts can be measured at different times."""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from experiments import ALL_LINKS, GAPS, LINKS, RANGES, SIZE, WORLD
from servers import Link, Nginx, free_port, make_object, sharpen_timers, wait_for
from workloads import MORE, NAMES, digest, workload

HERE = os.path.dirname(os.path.abspath(__file__))


class Bench:
    def __init__(self, options):
        self.options = options
        self.scratch = options.scratch
        self.root = os.path.join(self.scratch, "root")
        # What programs write as they read must not wait for a disk.
        self.memory = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else self.scratch)
        os.makedirs(self.root, exist_ok=True)
        self.objects = [os.path.join(self.scratch, f"object-{seed}") for seed in (1, 2)]
        make_object(self.objects[0], SIZE, 1)
        self.serve(0)
        self.nginx = Nginx(self.root, os.path.join(self.scratch, "nginx"))

    def serve(self, number):
        """Replaces what is served, by rename."""
        new = os.path.join(self.root, "new")
        if os.path.exists(new):
            os.remove(new)
        os.link(self.objects[number], new)
        os.rename(new, os.path.join(self.root, "object"))

    def link(self, name):
        return Link.calibrated(os.path.join(self.options.programs, "LinkServer"), self.nginx.port, *ALL_LINKS[name])

    def write_ranges(self, ranges):
        path = os.path.join(self.scratch, "ranges")
        with open(path, "w") as file:
            file.writelines(f"{lower} {upper}\n" for lower, upper in ranges)
        return path

    def digest(self, ranges):
        return digest(self.objects[0], [ranges])

    def command(self, program, url, ranges, output):
        kind, _, mode = program.partition(" ")
        if kind == "rangeio":
            more = mode.split(" ") if mode.startswith("--") else ["--disk", mode] if mode else []
            return [os.path.join(self.options.programs, "RemoteBenchmark"), url, ranges, output, *more]
        # What is not in the standard library is in the environment made for it.
        python = self.options.python if kind in ("obstore", "fsspec", "formats") else sys.executable
        script = {"formats": "formats.py", "rclone": "rclone_stream.py"}.get(kind, f"{kind}_ranges.py")
        return [python, os.path.join(HERE, "peers", script), url, ranges, output, mode]

    def run(self, program, link, ranges_path, expected, label=None, url=None, timeout=300):
        """Runs a program once, and returns what it took."""
        output = os.path.join(self.memory, "output")
        if os.path.exists(output):
            os.remove(output)
        self.nginx.take_requests()
        before = link.counts()
        url = url or f"http://127.0.0.1:{link.port}/object"
        command = self.command(program, url, ranges_path, output)
        try:
            ended = subprocess.run(command, stdout=subprocess.PIPE, timeout=timeout)
        except subprocess.TimeoutExpired:
            return {"program": label or program, "failed": f"no answer in {timeout} s"}
        if ended.returncode != 0:
            return {"program": label or program, "failed": f"exit code {ended.returncode}"}
        result = json.loads(ended.stdout.decode().strip().splitlines()[-1])
        after = link.counts()
        requests = self.nginx.take_requests()
        if self.options.requests:
            with open(self.options.requests, "a") as file:
                print(json.dumps({"program": program, "url": url, "wall": result["wall"], "requests": requests}), file=file)
        with open(output, "rb") as file:
            result["right"] = hashlib.file_digest(file, "sha256").hexdigest() == expected
        result |= {
            "program": label or program, "requests": len(requests), "body": sum(
                count for method, _, count, _ in requests if method != "HEAD"),
            "bytes": after["down"] - before["down"], "connections": after["connections"] - before["connections"]}
        return result

    def note(self, result):
        result["processor"] = processor()
        print(json.dumps(result), file=sys.stderr)
        with open(self.options.results, "a") as file:
            file.write(json.dumps(result) + "\n")

    # A: 1,000 times 4 KiB, in one call.

    def scattered(self):
        ranges = RANGES["scattered"]
        path, expected = self.write_ranges(ranges), self.digest(ranges)
        name = self.options.link
        programs = self.options.programs_to_run or [
            "rangeio", "obstore default", *(f"obstore {gap}" for gap in GAPS[name]),
            *(f"obstore eight:{gap}" for gap in GAPS[name]), "fsspec default",
            *(f"fsspec {gap}" for gap in GAPS[name]), "gdal multi", "gdal threads", "plain"]
        link = self.link(name)
        for number in range(self.options.rounds):
            # Another one begins in each round.
            for program in programs[number % len(programs):] + programs[:number % len(programs)]:
                self.note({"experiment": "scattered", "link": name} | self.run(program, link, path, expected))
        link.stop()

    # D: what programs read, over nine links.

    def world(self):
        for name in WORLD if self.options.link == "all" else [self.options.link]:
            link = self.link(name)
            try:
                self.world_of(name, link)
            finally:
                link.stop()

    def world_of(self, name, link):
        options = self.options
        workloads = [
            workload(one, name, self.root, self.scratch, options.python, options.quick) for one in options.workloads]
        spent = {}
        for number in range(1 if options.quick else options.rounds):
            for one in workloads:
                files = one.prepare(self.scratch)
                programs = [
                    program for program in one.programs
                    if not options.programs_to_run or program.partition(" ")[0] in options.programs_to_run]
                turn = number % max(1, len(programs))
                for program in programs[turn:] + programs[:turn]:
                    # Every program has one round, however long.
                    if spent.get((one, program), 0) > options.budget:
                        continue
                    ran = self.world_run(one, program, link, files)
                    spent[one, program] = spent.get((one, program), 0) + ran.get("wall", options.budget)
                    self.note({
                        "experiment": "world", "workload": one.name, "link": name, "least": one.least(name),
                        "asked": one.byte_count()} | ran)

    def world_run(self, one, program, link, files):
        ranges, names = files
        kind = program.partition(" ")[0]
        if kind in ("gdal", "rclone") and not shutil.which({"gdal": "gdalinfo"}.get(kind, kind)):
            return {"program": program, "failed": "not installed"}
        if program == "rclone":
            folder = os.path.join(self.scratch, "cache")
            shutil.rmtree(folder, ignore_errors=True)
            return self.rclone(folder, link, ranges, one.ranges)
        url = f"http://127.0.0.1:{link.port}/{os.path.basename(one.path)}"
        if kind == "formats":
            return self.run(program, link, names, one.contents, url=url)
        return self.run(program, link, ranges, one.ranges, url=url)

    # B, runs 1 and 2: 1,000 times 64 KiB, and again in a new process.

    def warm(self):
        ranges = RANGES["warm"]
        path, expected = self.write_ranges(ranges), self.digest(ranges)
        link = self.link("far")
        programs = self.options.programs_to_run or ["rangeio", "fsspec", "gdal", "rclone"]
        for number in range(self.options.rounds):
            for program in programs[number % len(programs):] + programs[:number % len(programs)]:
                folder = os.path.join(self.scratch, "cache")
                shutil.rmtree(folder, ignore_errors=True)
                os.makedirs(folder, mode=0o700)
                for run in ("cold", "restarted"):
                    result = {"experiment": "warm", "link": "far", "run": run}
                    self.note(result | self.cached(program, folder, link, path, expected))
        link.stop()

    def cached(self, program, folder, link, path, expected):
        """One run of a program that keeps what it reads in a folder, if it can."""
        if program == "rclone":
            return self.rclone(folder, link, path, expected)
        modes = {"rangeio": f"rangeio {folder}", "fsspec": f"fsspec blockcache:{folder}", "gdal": "gdal threads"}
        return self.run(modes[program], link, path, expected, label=program)

    def rclone(self, folder, link, path, expected):
        """rclone's VFS behind its own server on this machine, read by eight threads of a plain client."""
        if not shutil.which("rclone"):
            return {"program": "rclone", "failed": "not installed"}
        server, url = self.rclone_server(folder, link)
        try:
            return self.run("plain eight", link, path, expected, label="rclone", url=url)
        finally:
            server.terminate()
            server.wait()

    def rclone_server(self, folder, link):
        port = free_port()
        server = subprocess.Popen(
            ["rclone", "serve", "http", ":http:", "--http-url", f"http://127.0.0.1:{link.port}/", "--addr",
             f"127.0.0.1:{port}", "--vfs-cache-mode", "full", "--vfs-cache-max-size", "8G", "--cache-dir", folder,
             "--config", "/dev/null", "--vfs-read-chunk-size", "256k"],
            stderr=subprocess.DEVNULL)
        wait_for(port)
        return server, f"http://127.0.0.1:{port}/object"

    # B, run 4: replaced by rename while it is read.

    def replaced(self):
        make_object(self.objects[1], SIZE, 2)
        ranges = RANGES["warm"]
        path = self.write_ranges(ranges)
        for program in self.options.programs_to_run or ["rangeio", "fsspec", "gdal", "rclone"]:
            link = self.link("far")
            folder = os.path.join(self.scratch, "cache")
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder, mode=0o700)
            self.note({"experiment": "replaced", "program": program} | self.watched(program, folder, link, path))
            link.stop()
        self.serve(0)

    def watched(self, program, folder, link, path):
        stop = threading.Event()

        def replace():
            number = 0
            while not stop.wait(0.5):
                number = 1 - number
                self.serve(number)

        url = f"http://127.0.0.1:{link.port}/object"
        more = ["--versions", *self.objects, "--seconds", str(self.options.seconds)]
        server = None
        if program == "rangeio":
            command = [os.path.join(self.options.programs, "RemoteBenchmark"), url, path, "-", "--disk", folder, *more]
        else:
            python = sys.executable if program == "gdal" else self.options.python
            if program == "rclone":
                if not shutil.which("rclone"):
                    return {"failed": "not installed"}
                server, url = self.rclone_server(folder, link)
            command = [python, os.path.join(HERE, "peers", "versions.py"), url, path, program, folder, *more]
        replacing = threading.Thread(target=replace)
        replacing.start()
        try:
            ended = subprocess.run(command, stdout=subprocess.PIPE, timeout=self.options.seconds + 120)
            if ended.returncode != 0:
                return {"failed": f"exit code {ended.returncode}"}
            return json.loads(ended.stdout.decode().strip().splitlines()[-1])
        finally:
            stop.set()
            replacing.join()
            if server:
                server.terminate()
                server.wait()


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            name = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        name = "unknown"
    return f"{name}, {os.cpu_count()} cores"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("experiment", choices=["scattered", "warm", "replaced", "world"])
    parser.add_argument("--link", choices=[*ALL_LINKS, "all"], help="default: near; of world: all")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--workloads", type=lambda text: text.split(","), default=NAMES, help="of world, as first,last")
    parser.add_argument(
        "--budget", type=float, default=30, help="of world: a program that took longer in a cell has no more rounds there")
    parser.add_argument("--quick", action="store_true", help="of world: one round, and an eighth of the streams")
    parser.add_argument("--requests", help="a file to which all requests of each run are appended")
    parser.add_argument("--only", dest="programs_to_run", type=lambda text: text.split(","))
    parser.add_argument("--programs", required=True, help="the folder of LinkServer and RemoteBenchmark")
    parser.add_argument("--python", default=sys.executable, help="a Python that has obstore, fsspec and aiohttp")
    parser.add_argument("--scratch", default=os.path.join("/tmp", "range-io-remote"))
    parser.add_argument("--results", default="results.jsonl")
    options = parser.parse_args()
    options.link = options.link or ("all" if options.experiment == "world" else "near")
    if options.link in WORLD.keys() | {"all"} and options.experiment != "world":
        parser.error(f"{options.experiment} has the links {', '.join(LINKS)}")
    if unknown := set(options.workloads) - {*NAMES, *MORE}:
        parser.error(f"no workload is called {', '.join(unknown)}: they are {', '.join(NAMES + MORE)}")
    sharpen_timers()
    bench = Bench(options)
    try:
        getattr(bench, bench.options.experiment)()
    finally:
        bench.nginx.stop()
        shutil.rmtree(bench.memory)


main()
