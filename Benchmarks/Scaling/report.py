#!/usr/bin/env python3
"""Writes Scaling.md and scaling.svg from what range-io-scaling measured: report.py RESULTS.json FOLDER."""

import json
import math
import statistics
import sys

COLOURS = ["#d9480f", "#f59f6b", "#0072b2", "#56b4e9", "#343a40", "#009e73", "#cc79a7", "#e69f00", "#9c36b5", "#868e96", "#5c940d"]
# The panels of the picture; the others are in the tables.
SHOWN = ("hits-1000", "hits-100000", "evicting", "tiers")


def figure(value):
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def medians(series):
    return [statistics.median(samples) for samples in series["samples"]]


def hits(series, columns):
    """The share of reads that did not go to the file, where the columns have it."""
    if columns[-1] != "hits":
        return []
    return [f"{statistics.median(series['hits']):.1%}"] if series.get("hits") else [""]


def panel(table, left, top):
    """Tasks from left to right, their rate upwards, both by powers of ten or two."""
    columns = [index for index, name in enumerate(table["crowds"]) if "task" in name]
    tasks = [int(table["crowds"][index].split()[0]) for index in columns]
    lines = [[medians(series)[index] for index in columns] for series in table["series"]]
    low = math.floor(math.log10(min(map(min, lines))))
    high = max(low + 1, math.ceil(math.log10(max(map(max, lines)))))
    x = lambda count: left + 60 + 260 * math.log2(count) / max(1, math.log2(tasks[-1]))
    y = lambda rate: top + 230 - 190 * (math.log10(rate) - low) / (high - low)
    parts = [f'<text x="{left + 60}" y="{top + 20}" font-weight="bold">{table["title"]}</text>']
    for decade in range(low, high + 1):
        parts.append(
            f'<path d="M{left + 60} {y(10 ** decade):.1f}h260" stroke="#ddd"/>'
            f'<text x="{left + 54}" y="{y(10 ** decade) + 4:.1f}" text-anchor="end">{10 ** decade:g}</text>')
    parts += [f'<text x="{x(count):.1f}" y="{top + 248}" text-anchor="middle">{count}</text>' for count in tasks]
    for index, (series, rates) in enumerate(zip(table["series"], lines)):
        colour = COLOURS[index % len(COLOURS)]
        points = " ".join(f"{x(count):.1f},{y(rate):.1f}" for count, rate in zip(tasks, rates))
        parts += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{left + 330}" y="{top + 44 + 15 * index}" fill="{colour}">{series["name"]}</text>']
    return parts


def svg(report):
    tables = [table for table in report["tables"] if table["id"] in SHOWN and table["crowds"]]
    height = 40 + 270 * ((len(tables) + 1) // 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1060 {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="1060" height="{height}" fill="#fff"/>',
        f'<text x="60" y="22" font-size="14">Tasks, and million reads a second of all together: {report["machine"]["cpu"]}</text>']
    for index, table in enumerate(tables):
        parts += panel(table, 530 * (index % 2), 30 + 270 * (index // 2))
    return "\n".join(parts + ["</svg>\n"])


def is_disturbed(report):
    """Whether runs of several tasks had fewer processors than they could use: then tasks seldom ran at once."""
    had = [
        statistics.median(samples) / min(report["machine"]["cpuCount"], int(crowd.split()[0]))
        for table in report["tables"] if table["id"].startswith("h")
        for crowd, samples in zip(table["crowds"], table["processors"]) if crowd.endswith("tasks")]
    return bool(had) and statistics.median(had) < 0.8


def page(report):
    machine = report["machine"]
    disturbed = is_disturbed(report)
    warning = ["**Other programs had most of the processors during this run:** it shows what is measured, and decides nothing.", ""]
    text = [
        "# Every core", "",
        "How much reads get done with every core that does them: tasks that share one reader and one store, beside tasks with a "
        "store each, C, RocksDB's caches and dictionaries. `Benchmarks/Scaling/run.sh --publish` repeats it.", "",
        f"Measured on {machine['cpuCount']} × {machine['cpu']}, {machine['memoryMiB'] >> 10} GiB, {machine['system']}, "
        f"{machine['fileSystem']}, {machine['swift']}, commit {machine['commit']}, {machine['date'][:10]}"
        + (f", beside {report['busy']} busy loops" if report["busy"] else "")
        + f". Medians of {report['rounds']} rounds of {report['seconds']:g} s, in which all take turns. *Threads*: as many tasks, "
        "each on a thread of its own, more than there are processors. *Processors had*: processor time by time, of all contenders; "
        "where it is below the number of tasks, or of processors, others ran beside, and the row says little. All bytes are compared once before, and the first word of "
        "each read, or of one in sixteen where nothing is copied.", "", *(warning if disturbed else []), "![Rates by tasks](scaling.svg)", ""]
    if report["ratios"]:
        text += [
            "## What must hold on any machine", "", "Each pair by turns, in runs of its own. By processor time: reads for each second of it, which other programs "
            "disturb less, and which does not see that tasks wait.", "",
            "| | asked | median | least–most | | by processor time |", "| :-- | --: | --: | --: | :-- | --: |"]
        for ratio in report["ratios"]:
            middle = statistics.median(ratio["samples"])
            text.append(
                f"| {ratio['name']} | at least {ratio['goal']:g} | {middle:.2f} | {min(ratio['samples']):.2f}–"
                f"{max(ratio['samples']):.2f} | {'disturbed' if disturbed else 'met' if middle >= ratio['goal'] else 'short'} | "
                f"{statistics.median(ratio['byProcessor']):.2f} |")
        text.append("")
    for table in report["tables"]:
        if not table["crowds"]:
            continue
        columns = table["crowds"] + ["hits"] * any(series.get("hits") for series in table["series"])
        title = table["title"][0].upper() + table["title"][1:]
        text += [
            f"## {title}", "", f"{table['unit'][0].upper() + table['unit'][1:]}, of all tasks together.", "",
            "| | " + " | ".join(columns) + " |", "| :-- |" + " --: |" * len(columns)]
        text += [
            f"| {series['name']} | " + " | ".join([*map(figure, medians(series)), *hits(series, columns)]) + " |"
            for series in table["series"]]
        had = [figure(statistics.median(samples)) for samples in table["processors"]]
        text += [f"| *processors had* | " + " | ".join(had + [""] * (len(columns) - len(had))) + " |", ""]
    return "\n".join(text)


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    with open(f"{sys.argv[2]}/Scaling.md", "w") as file:
        file.write(page(report))
    with open(f"{sys.argv[2]}/scaling.svg", "w") as file:
        file.write(svg(report))
    print(f"{sys.argv[2]}/Scaling.md")


main()
