"""transport_report.py COSTS HELD: medians of what transport-cost.sh has measured, in Markdown."""
import collections
import statistics
import sys

NAMES = {
    "async": "async-http-client, `execute` and `collect`",
    "delegate": "async-http-client, a delegate that copies",
    "source": "`HTTPSource`",
    "reader": "`RangeReader` over it",
    "obstore-async": "obstore, `get_range_async`",
    "obstore-ranges": "obstore, `get_ranges`, ten at a time",
}


def table(path, keys):
    rows = collections.defaultdict(list)
    for line in open(path):
        words = line.split()
        rows[tuple(words[:keys])].append([float(word) for word in words[keys:]])
    return {key: [statistics.median(column) for column in zip(*values)] for key, values in rows.items()}


costs = table(sys.argv[1], 2)
for size in dict.fromkeys(size for size, _ in costs):
    base = costs[size, "delegate"]
    print(f"\nRanges of {int(size) >> 10} KiB, 32 at a time:\n")
    print("| | wall µs | CPU µs | MB/s | throughput, delegate = 1 | CPU, delegate = 1 |\n|---|---:|---:|---:|---:|---:|")
    for (_, name), (wall, cpu, rate) in ((key, value) for key, value in costs.items() if key[0] == size):
        print(
            f"| {NAMES[name]} | {wall:.1f} | {cpu:.1f} | {rate:,.0f} | {base[0] / wall:.2f} | {cpu / base[1]:.2f} |"
        )
print("\n32 ranges of 1 MiB that lack their last byte:\n")
print("| | resident before | grown by | beyond its bytes, a range |\n|---|---:|---:|---:|")
for (name,), (before, grown, extra) in table(sys.argv[2], 1).items():
    print(f"| {NAMES[name]} | {before / 2**20:.1f} MiB | {grown / 2**20:.1f} MiB | {extra / 1024:.0f} KiB |")
