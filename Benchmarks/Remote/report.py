#!/usr/bin/env python3
"""Writes Remote.md and remote.svg, and World.md and world.svg, from results of measure.py: report.py RESULTS FOLDER."""

import json
import statistics
import subprocess
import sys
from collections import defaultdict

import world_report
from experiments import LINKS, RANGES, optimum

NAMES = {
    "rangeio": "**RangeIO**", "obstore default": "obstore, as it is (ten at once)", "fsspec default": "fsspec `cat_ranges`",
    "plain": "Python's `http.client`, eight threads", "gdal multi": "GDAL, eight ranges a call", "gdal threads": "GDAL, eight threads", "fsspec": "fsspec `blockcache`",
    "gdal": "GDAL", "rclone": "rclone's VFS"}


def load(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def rows(results):
    """By program: the rounds that it ended, and why others did not."""
    by_program = defaultdict(list)
    for result in results:
        by_program[result["program"]].append(result)
    return by_program


def median(rounds, key):
    return statistics.median(one[key] for one in rounds)


def best_gap(by_program, prefix):
    """The gap that was best in hindsight of those tried with a program."""
    tried = {name: median(rounds, "wall") for name, rounds in by_program.items()
             if name.startswith(prefix) and name[len(prefix):].isdigit() and all("wall" in one for one in rounds)}
    return min(tried, key=tried.get) if tried else None


def chosen(by_program):
    """Programs and how they are called in the tables."""
    named = [("rangeio", NAMES["rangeio"]), ("obstore default", NAMES["obstore default"])]
    for prefix, text in (
        ("obstore ", "obstore, best gap in hindsight ({}; ten at once)"),
        ("obstore eight:", "obstore, merged by hand, best gap ({})")):
        if best := best_gap(by_program, prefix):
            named.append((best, text.format(best[len(prefix):])))
    named.append(("fsspec default", NAMES["fsspec default"]))
    if best := best_gap(by_program, "fsspec "):
        named.append((best, f"fsspec, merged by hand, best gap ({best[7:]})"))
    return named + [(name, NAMES[name]) for name in ("gdal multi", "gdal threads", "plain")]


def seconds(value):
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def megabytes(value):
    return f"{value / 1e6:.1f} MB"


def line(name, rounds, best):
    failed = [one["failed"] for one in rounds if "failed" in one]
    if failed or not rounds:
        return f"| {name} | {failed[0] if failed else 'not measured'} | | | | | | | |"
    times = [one["wall"] for one in rounds]
    wrong = "" if all(one["right"] for one in rounds) else " **wrong bytes**"
    against = f"{statistics.median(times) / best:.2f}×" if best else ""
    return (
        f"| {name}{wrong} | {seconds(statistics.median(times))} | {seconds(min(times))}–{seconds(max(times))} | {against} | "
        f"{median(rounds, 'requests'):.0f} | {median(rounds, 'connections'):.0f} | {megabytes(median(rounds, 'bytes'))} | {seconds(median(rounds, 'cpu'))} | "
        f"{megabytes(median(rounds, 'rss'))} |")


HEAD = (
    "| | median | least–most | of the optimum | requests | connections | bytes | CPU | memory |\n"
    "| :-- | --: | --: | --: | --: | --: | --: | --: | --: |")


def scattered_tables(results, text, bars):
    goals = []
    for link, (milliseconds, rate) in LINKS.items():
        by_program = rows([one for one in results if one["experiment"] == "scattered" and one["link"] == link])
        if not by_program:
            continue
        best, requests, count = optimum(RANGES["scattered"], link)
        rounds = len(by_program["rangeio"])
        text += [
            f"### {milliseconds} ms, {rate / 1e6:.0f} MB/s", "",
            f"Optimum: {seconds(best)}, {requests} requests, {megabytes(count)}. {rounds} rounds.", "", HEAD]
        times = {}
        for program, name in chosen(by_program):
            text.append(line(name, by_program.get(program, []), best))
            some = by_program.get(program, [])
            if some and all("wall" in one for one in some):
                times[name] = median(some, "wall")
        text.append("")
        bars.append((f"{milliseconds} ms, {rate / 1e6:.0f} MB/s", best, times))
        ours = times.pop(NAMES["rangeio"])
        goals.append((f"{milliseconds} ms: time against the optimum", "at most 1.2×", ours / best, ours / best <= 1.2, ""))
        for text_of, some in (
            ("the best peer", [name for name in times if "ten at once" not in name]),
            ("the best with ten connections", [name for name in times if "ten at once" in name])):
            if some:
                peer = min(some, key=times.get)
                asked = "at most 1.1×" if text_of == "the best peer" else ""
                ratio = ours / times[peer]
                goals.append((f"{milliseconds} ms: time against {text_of}", asked, ratio, ratio <= 1.1, peer))
    return goals


def warm_table(results, text):
    some = [one for one in results if one["experiment"] == "warm"]
    if not some:
        return
    best = optimum(RANGES["warm"], "far")[0]
    for run, title in (("cold", "Run 1, cold"), ("restarted", "Run 2, a new process with what is on the disk")):
        by_program = rows([one for one in some if one["run"] == run])
        text += [f"### {title}", ""]
        if run == "cold":
            text += [f"Optimum: {seconds(best)}.", ""]
        text += [HEAD]
        for program in ("rangeio", "fsspec", "gdal", "rclone"):
            text.append(line(NAMES[program], by_program.get(program, []), best if run == "cold" else None))
        if run == "restarted" and by_program.get("rangeio"):
            last = by_program["rangeio"][-1]
            text += ["", f"RangeIO sent {last['requests']} request and got {last['body']} bytes of the object."]
        text.append("")


def replaced_table(results, text):
    some = {one["program"]: one for one in results if one["experiment"] == "replaced"}
    if not some:
        return
    text += [
        "### Run 4, replaced by rename every half second", "",
        "Each read is of ten ranges, in one call where there is such a call, else one after the other from one open file. "
        "*Torn*: single ranges that are of no version.", "",
        "| | one version | failed, opened again | mixed | torn |", "| :-- | --: | --: | --: | --: |"]
    for program in ("rangeio", "fsspec", "gdal", "rclone"):
        one = some.get(program, {"failed": "not measured"})
        text.append(
            f"| {NAMES[program]} | {one['failed']} | | | |" if "failed" in one else
            f"| {NAMES[program]} | {one['a'] + one['b']} | {one['changed']} | {one['mixed']} | {one.get('torn', 0)} |")
    text.append("")


def svg(bars):
    """A panel for each link: a bar for each program, and a line where the optimum is."""
    height = 30 + sum(34 + 20 * len(times) for _, _, times in bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="760" height="{height}" fill="white"/>']
    y = 20
    for title, best, times in bars:
        most = max(times.values())
        parts.append(f'<text x="10" y="{y}" font-weight="bold">{title}</text>')
        top = y + 8
        for name, time in times.items():
            width = 420 * time / most
            color = "#2f6fde" if "RangeIO" in name else "#b8c0cc"
            y += 20
            parts.append(f'<text x="270" y="{y + 4}" text-anchor="end">{name.replace("**", "").replace("`", "")}</text>')
            parts.append(f'<rect x="278" y="{y - 7}" width="{width:.1f}" height="14" fill="{color}"/>')
            parts.append(f'<text x="{283 + width:.1f}" y="{y + 4}">{seconds(time)}</text>')
        x = 278 + 420 * best / most
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{y + 10}" stroke="#d23f31" stroke-dasharray="4 3"/>')
        y += 34
    return "\n".join(parts + ["</svg>"]) + "\n"


def versions(*more):
    def first(command):
        try:
            return subprocess.run(command, capture_output=True, text=True).stdout.strip().splitlines()[0]
        except (OSError, IndexError):
            return "?"

    def nginx():
        try:
            ended = subprocess.run(["/usr/sbin/nginx", "-v"], capture_output=True, text=True)
            return ended.stderr.strip().rpartition("/")[2]
        except OSError:
            return "?"

    python = sys.argv[3] if len(sys.argv) > 3 else sys.executable
    names = ("obstore", "fsspec", "aiohttp", *more)
    packages = f"import importlib.metadata as m; print(', '.join(f'{{n}} {{m.version(n)}}' for n in {names}))"
    return f"nginx {nginx()}, {first([python, '-c', packages])}, {first(['gdalinfo', '--version'])}, {first(['rclone', 'version'])}"


def machine(results, *more):
    return f"{', '.join(sorted({one['processor'] for one in results}))}; {versions(*more)}"


def main():
    results = load(sys.argv[1])
    if world := [one for one in results if one["experiment"] == "world"]:
        world_report.write(world, sys.argv[2], machine(world, "pyarrow", "duckdb"))
    if others := [one for one in results if one["experiment"] != "world"]:
        write(others)


def write(results):
    tables, bars = [], []
    tables += ["## A: 1,000 ranges of 4 KiB in one call", ""]
    goals = scattered_tables(results, tables, bars)
    tables += ["## B: 1,000 ranges of 64 KiB in one call; 20 ms, 25 MB/s", ""]
    warm_table(results, tables)
    replaced_table(results, tables)
    asked = [goal for goal in goals if goal[1]]
    met = sum(goal[3] for goal in asked)
    text = [
        "# Remote objects", "",
        "How long scattered ranges of an object of 1 GiB take, over links that are near, far and slow: RangeIO with the "
        "stages of `RangeReader(contentsOf:)`, the same for all links, beside what else there is. "
        "`Benchmarks/Remote/run.sh --publish` repeats it.", "",
        f"Measured on {machine(results)}. nginx on loopback, behind a link in a process of its own: the "
        "latency counts there and back, once more for each new connection, and each connection has the rate. A request of 4 KiB "
        "that is alone takes the latency and the time of its bytes, with all that the server and the link do. At most eight "
        "requests at once, but where the table says ten. Fresh processes, interleaved; the time is from opening the object to "
        "the last byte, without the start of the program. All results were compared by SHA-256. The optimum has eight "
        "connections busy from the first moment to the last, and knows the link.", "",
        "![Times by link](remote.svg)", "",
        f"{met} of {len(asked)} goals were met:", "",
        "| | asked | measured | | peer |", "| :-- | --: | --: | :-- | :-- |"]
    text += [
        f"| {name} | {asked} | {value:.2f}× | {('met' if is_met else 'short') if asked else ''} | {note} |"
        for name, asked, value, is_met, note in goals]
    with open(f"{sys.argv[2]}/Remote.md", "w") as file:
        file.write("\n".join(text + [""] + tables).rstrip() + "\n")
    with open(f"{sys.argv[2]}/remote.svg", "w") as file:
        file.write(svg(bars))


main()
