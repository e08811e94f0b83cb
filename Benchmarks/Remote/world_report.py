"""Writes World.md and world.svg: what the programs of `world` take, against what a link allows."""

import statistics
from collections import defaultdict

from experiments import WORLD
from workloads import EXTRACTED, ENTRIES, NAMES

TITLES = {
    "first": ("The first 100 bytes", "100 bytes from the start of an object of 1 GiB."),
    "last": ("The last 64 KiB", "64 KiB from the end of an object of 1 GiB."),
    "scattered": ("1,000 × 4 KiB, one call", "1,000 ranges of 4 KiB anywhere in 1 GiB, in one call where there is such a call."),
    "tasks": (
        "1,000 × 4 KiB, 1,000 tasks",
        "The same ranges, each by a task of its own: GDAL, rclone and `http.client` have eight threads for them."),
    "stream": (
        "A stream",
        "An object from its start into a file in memory: 1 GiB at 200 MB/s, 256 MiB at 20 MB/s, 32 MiB at 2 MB/s, since more would "
        "take too long; all reach a steady rate."),
    "zip": (
        "A ZIP archive",
        f"List an archive of {ENTRIES:,} stored entries of 4 to 64 KiB, and extract {EXTRACTED}. RangeIO, obstore's `get_ranges` and "
        "GDAL's ranges replay what a reader of archives asks for: the end, the rest of the directory, the entries. The others are "
        "readers of archives."),
    "parquet": (
        "A column of a Parquet file",
        "The footer, then one column of eight row groups, 1 MB each. RangeIO, obstore's `get_ranges` and GDAL's ranges replay what a "
        "reader of Parquet asks for. The others are such readers, and decode the column, which is plain."),
}
LABELS = {
    "rangeio": "**RangeIO**", "rangeio turns": "RangeIO, one entry after the other",
    "rangeio many": "RangeIO, 64 connections",
    "obstore in-turn": "obstore `get_range`", "obstore default": "obstore `get_ranges`, as it is",
    "obstore gap": "obstore `get_ranges`, told the gap", "obstore tasks": "obstore, a task each",
    "obstore eight:-1": "obstore, a task each, eight at once", "obstore stream": "obstore, one stream",
    "obstore parts": "obstore, eight parts at once", "fsspec default": "fsspec `cat_ranges`",
    "fsspec gap": "fsspec `cat_ranges`, told the gap", "fsspec tasks": "fsspec, a task each", "fsspec stream": "fsspec `get_file`",
    "gdal multi": "GDAL, eight ranges a call", "gdal threads": "GDAL, eight threads", "gdal stream": "GDAL `/vsicurl_streaming`",
    "rclone": "rclone's VFS, eight threads", "rclone cat": "rclone `cat`", "rclone copy": "rclone `copyto`, eight streams",
    "plain": "`http.client`, eight threads", "plain parts": "`http.client`, eight parts at once",
    "formats zip:obstore": "`zipfile` over obstore", "formats zip:fsspec": "`zipfile` over fsspec",
    "formats zip:gdal": "GDAL `/vsizip/`", "formats parquet:obstore": "pyarrow over obstore",
    "formats parquet:fsspec": "pyarrow over fsspec", "formats parquet:duckdb": "DuckDB with httpfs"}
# Peers with no more than RangeIO has, and obstore's ten.
FEW = 12
COLORS = ((1.2, "#4c9f70"), (1.5, "#a8cf8e"), (2, "#f3e08b"), (4, "#f0a868"), (float("inf"), "#d9705f"))


class Cell:
    """What a program took for a workload over a link."""

    def __init__(self, rounds):
        self.failed = next((one["failed"] for one in rounds if "failed" in one), None)
        self.is_right = all(one.get("right") for one in rounds)
        if not self.failed:
            self.wall, self.bytes, self.connections, self.least, self.asked = (
                statistics.median(one[key] for one in rounds) for key in ("wall", "bytes", "connections", "least", "asked"))

    @property
    def counts(self):
        return not self.failed and self.is_right

    def text(self, is_best):
        if not self.counts:
            return self.failed or "wrong bytes"
        time = f"{self.ratio:.2f}"
        return f"{f'**{time}**' if is_best else time} · {short(self.bytes / self.asked)}"

    @property
    def ratio(self):
        return self.wall / self.least


def short(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def key(workload, program):
    """A program by what it is called in tables, whatever the link made of its options."""
    kind, _, mode = program.partition(" ")
    if "--connections" in mode:
        return "rangeio many"
    if kind == "rangeio":
        return "rangeio turns" if workload == "zip" and "turns" in mode else "rangeio"
    return f"{kind} gap" if mode.isdigit() else program


def cells(results):
    """Cells by workload, program and link."""
    rounds = defaultdict(list)
    for one in results:
        rounds[one["workload"], key(one["workload"], one["program"]), one["link"]].append(one)
    table = defaultdict(lambda: defaultdict(dict))
    for (workload, program, link), some in rounds.items():
        table[workload][program][link] = Cell(some)
    return table


def title(link):
    milliseconds, rate = WORLD[link]
    return f"{milliseconds} ms, {rate / 1e6:.0f} MB/s"


def best(programs, link, connections=float("inf")):
    """The quickest peer over a link, with its cell."""
    some = {
        name: rows[link] for name, rows in programs.items()
        if not name.startswith("rangeio") and link in rows and rows[link].counts and rows[link].connections <= connections}
    return min(some.items(), key=lambda one: one[1].wall) if some else None


def in_order(programs):
    return [name for name in LABELS if name in programs]


def table_of(programs):
    links = [link for link in WORLD if any(link in rows for rows in programs.values())]
    quickest = {
        link: min((rows[link].wall for rows in programs.values() if link in rows and rows[link].counts), default=None)
        for link in links}
    lines = ["| | " + " | ".join(map(title, links)) + " |", "| :-- |" + " --: |" * len(links)]
    for name in in_order(programs):
        row = [
            programs[name][link].text(programs[name][link].counts and programs[name][link].wall == quickest[link])
            if link in programs[name] else "–" for link in links]
        lines.append(f"| {LABELS[name]} | {' | '.join(row)} |")
    return lines


def summary(table):
    """In how many cells RangeIO is near the optimum, and which peers are quicker."""
    total, near, slower, slower_of_few, losses = 0, 0, 0, 0, []
    for workload in filter(table.get, NAMES):
        programs = table[workload]
        for link in WORLD:
            ours, peer = programs["rangeio"].get(link), best(programs, link)
            if not ours or not ours.counts or not peer:
                continue
            total += 1
            near += ours.ratio <= 1.2
            few = best(programs, link, FEW)
            slower_of_few += bool(few) and ours.wall > 1.1 * few[1].wall
            if ours.wall > 1.1 * peer[1].wall:
                slower += 1
            for name, cell in {peer, few} - {None}:
                if ours.wall > 1.1 * cell.wall:
                    losses.append((ours.wall / cell.wall, workload, link, name, ours, cell))
    lines = [
        "| | cells |", "| :-- | --: |", f"| measured | {total} |", f"| RangeIO takes at most 1.2 times the optimum | {near} |",
        f"| RangeIO takes more than 1.1 times what the quickest peer does | {slower} |",
        f"| the same, of peers with at most {FEW} connections | {slower_of_few} |", ""]
    if losses:
        lines += [
            "Where peers win:", "", "| | link | peer | its connections | its time | RangeIO's | |",
            "| :-- | :-- | :-- | --: | --: | --: | --: |"]
        lines += [
            f"| {TITLES[workload][0]} | {title(link)} | {LABELS[name]} | {cell.connections:.0f} | {cell.wall:.3f} s | {ours.wall:.3f} s | "
            f"{ratio:.2f}× |"
            for ratio, workload, link, name, ours, cell in sorted(losses, key=lambda one: -one[0])]
    return lines + [""]


def svg(table):
    """A block for each workload: a row for each program, a column for each link, and the time against the optimum in colour."""
    left, width, height = 250, 62, 20
    parts, y = [], 40
    for number, link in enumerate(WORLD):
        milliseconds, rate = WORLD[link]
        x = left + width * number + width / 2
        parts.append(f'<text x="{x}" y="18" text-anchor="middle">{milliseconds} ms</text>')
        parts.append(f'<text x="{x}" y="33" text-anchor="middle">{rate / 1e6:.0f} MB/s</text>')
    for workload in filter(table.get, NAMES):
        y += 18
        parts.append(f'<text x="10" y="{y}" font-weight="bold">{TITLES[workload][0]}</text>')
        y += 8
        for name in in_order(table[workload]):
            label = LABELS[name].replace("**", "").replace("`", "")
            style = ' fill="#2f6fde" font-weight="bold"' if name == "rangeio" else ""
            parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end"{style}>{label}</text>')
            for number, link in enumerate(WORLD):
                parts += square(table[workload][name].get(link), left + width * number, y, width, height)
            y += height
    parts += legend(left, y + 14)
    y += 40
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width * len(WORLD) + 10} {y}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{left + width * len(WORLD) + 10}" height="{y}" fill="white"/>', *parts, "</svg>"]) + "\n"


def square(cell, x, y, width, height):
    is_measured = cell and cell.counts
    color = next(color for most, color in COLORS if cell.ratio <= most) if is_measured else "#eef0f2"
    text = short_time(cell.ratio) if is_measured else "failed" if cell else ""
    return [
        f'<rect x="{x + 1}" y="{y + 1}" width="{width - 2}" height="{height - 2}" fill="{color}"/>',
        f'<text x="{x + width / 2}" y="{y + 14}" text-anchor="middle">{text}</text>']


def short_time(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2f}"


def legend(x, y):
    parts, least = [f'<text x="{x - 8}" y="{y + 12}" text-anchor="end">time, the optimum is 1:</text>'], 0
    for number, (most, color) in enumerate(COLORS):
        text = f"over {least:g}" if most == float("inf") else f"to {most:g}"
        parts.append(f'<rect x="{x + 90 * number}" y="{y}" width="16" height="16" fill="{color}"/>')
        parts.append(f'<text x="{x + 90 * number + 21}" y="{y + 12}">{text}</text>')
        least = most
    return parts


def write(results, folder, machine):
    table = cells([one for one in results if one["link"] in WORLD and one["workload"] in TITLES])
    text = [
        "# Remote objects: programs, links and workloads", "",
        "How long reading parts of remote objects takes over nine links, by RangeIO with the stages of `RangeReader(contentsOf:)` and "
        "by others. `Benchmarks/Remote/run.sh --world --publish` repeats it.", "",
        f"Measured on {machine}. nginx on loopback, behind a link in a process of its own: the latency counts there and back, and "
        "once more for each new connection. *The rate is that of each connection*, so that eight have eight times as much. Each run "
        "is a fresh process; programs are interleaved. The time is from opening the object to the last byte, without the start of "
        "the program: rclone's `cat` and `copyto` are timed from outside, less the time in which rclone reads one byte of a local file. "
        "All bytes were compared by SHA-256. Programs have at most eight requests at once, but for obstore: ten in `get_ranges`, and as "
        "many as there are tasks.", "",
        "A cell has the median time, as a multiple of the optimum, and the bytes that left the server, as a multiple of those asked "
        "for; the quickest is bold. Latency *L*, rate *R*, and groups of ranges that are known once the one before has been read: the optimum is",
        "", "    L + sum over groups (L × max(1, requests / 8) + bytes / (8 × R))", "",
        "with the number of requests that is best: ranges share one where reading what lies between them is cheaper, and one range may "
        "be split among all eight connections. One latency opens them. Nothing is counted for headers. More than eight connections can "
        "be quicker than this. At 200 MB/s, eight connections are 1.6 GB/s, more than the link and this machine pass: compare programs "
        "there, not with the optimum.", "", "*Told the gap*: the program was told latency × rate, which RangeIO measures.", "",
        "![Time against the optimum](world.svg)", "", *summary(table)]
    for workload in filter(table.get, NAMES):
        heading, description = TITLES[workload]
        text += [f"## {heading}", "", description, "", *table_of(table[workload]), ""]
    with open(f"{folder}/World.md", "w") as file:
        file.write("\n".join(text).rstrip() + "\n")
    with open(f"{folder}/world.svg", "w") as file:
        file.write(svg(table))
