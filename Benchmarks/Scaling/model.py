#!/usr/bin/env python3
"""Predicts how fast reads get with every core, from the cache lines and locks that they share.

    model.py [--design NAME]... [--set PATH.INPUT=VALUE]...

Without options: the predictions for a cache behind few locks that the kernel hands over, beside what was measured of it on
16 cores of an Intel Xeon, by which they were fitted. --design shows another one instead: "spin" has locks that spin; "stripes"
has as many locks that nobody meets but by chance, and evicts near the block; "pins" has no lock, and one word that a hit writes
in the block that it finds: with hazard pointers, as the store has them now, its count of references. --set changes one number: --set read.inside=2 --set machine.transfer=100.

What is in it, in nanoseconds:
- A task alone takes `alone` for a read: measured.
- A line that another core wrote last takes `transfer`. With n tasks that is so (n - 1) times in n. `lines` are those that many
  blocks share or that a hit writes in its block: they only take time. `serial` are transfers of lines that every read writes:
  they also come one after the other, so that all tasks together do no more than 1 / (serial × transfer).
- A lock is taken `visits` times, there are `stripes` of it, and it is held for `hold` and `inside` transfers. Tasks queue for
  it (mean value analysis of a closed system). If one is there to queue, the lock is handed over by the kernel: that takes
  `wake`, and `waiter` for each that waits. With few waiters the holder mostly ends while they still spin: `patience` is the
  number of waiters where half of all hand-overs go through the kernel, `steepness` how suddenly.
- Private work is slower by `crowding` for each other core that is busy: a reader and a store each, which share nothing.

Fitted: machine, but for crowding; of the paths all but `alone` and `stripes`. A fit of so many numbers explains the shape; to
predict a new design, change what the design changes and leave the machine.
"""

import argparse
import math

TASKS = (1, 2, 4, 8, 12, 16)
MACHINE = dict(transfer=73, wake=1200, waiter=500, patience=0.38, steepness=6, crowding=0.022)
SPINNING = dict(wake=73, waiter=10)

# Million reads a second by 1, 2, 4, 8, 12 and 16 tasks; blocks of 4 KiB, of 64 KiB for tiers.
MEASURED = {
    "pread": ("C pread of resident blocks", (2.1, 2.6, 4.0, 4.8, 4.8, 5.0)),
    "each": ("hits, a reader and a store each", (6.4, 12.0, 22.4, 44.3, 59.3, 75.4)),
    "read": ("hits, one store, 1,000 blocks", (5.4, 5.9, 9.6, 3.9, 3.7, 3.3)),
    "cached": ("the same by cached()", (8.4, 7.0, 9.8, 2.7, 2.3, 1.9)),
    "many": ("hits, one store, 100,000 blocks", (3.1, 6.2, 9.0, 8.3, 6.2, 2.7)),
    "evicting": ("kept misses, evicting, 64 MiB", (0.3, 0.3, 0.3, 0.04, 0.04, 0.02)),
    "keeping": ("kept misses, nothing evicted", (0.3, 0.7, 1.2, 1.6, 1.9, 2.3)),
    "uncached": ("no cache, resident", (0.7, 0.8, 1.3, 2.4, 2.8, 2.9)),
    "default": ("default cache, at random", (0.4, 0.8, 1.2, 2.1, 2.6, 2.6)),
    "tiers": ("memory and LZ4, 64 KiB blocks", (0.2, 0.3, 0.4, 0.1, 0.1, 0.1)),
}
PATHS = {
    "pread": dict(lines=4, serial=3),
    "each": dict(),
    "read": dict(visits=1, stripes=16, hold=90, inside=4),
    "cached": dict(visits=1, stripes=16, hold=60, inside=4),
    "many": dict(visits=1, stripes=16, hold=110, inside=1),
    "evicting": dict(visits=3, stripes=1, hold=200, inside=2),
    "keeping": dict(visits=3, stripes=32, hold=20, serial=6),
    "uncached": dict(lines=23, serial=4),
    "default": dict(lines=1, serial=5),
    "tiers": dict(lines=20, visits=2, stripes=1, hold=200, inside=1),
}
# What a design changes.
HIT = ("read", "cached", "many")
DESIGNS = {
    "today": {},
    "spin": {"machine": SPINNING},
    "stripes": {
        "machine": SPINNING, "evicting": dict(stripes=128, lines=4, serial=0), "keeping": dict(stripes=128, serial=4),
        "tiers": dict(stripes=128), **{name: dict(stripes=128) for name in HIT}},
    "pins": {
        "machine": SPINNING, "evicting": dict(stripes=128, lines=4, serial=0), "keeping": dict(stripes=128, serial=4),
        "tiers": dict(stripes=128), **{name: dict(visits=0, lines=1) for name in HIT}},
}


def rate(path, tasks, machine):
    """Million reads a second of all tasks together."""
    transfer, others = machine["transfer"], (tasks - 1) / tasks
    visits, stripes, hold = path.get("visits", 0), path.get("stripes", 1), path.get("hold", 0)
    serial = path.get("serial", 0) * transfer * others
    private = path["alone"] * (1 + machine["crowding"] * (tasks - 1)) - visits * hold
    private += path.get("lines", 0) * transfer * others

    def speed(queue):
        """What all do when so many are at a lock, and how many are there then."""
        waiting = queue * others
        far = waiting ** machine["steepness"]
        by_kernel = far / (far + machine["patience"] ** machine["steepness"])
        held = hold + path.get("inside", 0) * transfer * others
        held += by_kernel * (machine["wake"] + machine["waiter"] * waiting)
        lock = held * (1 + waiting)
        speed, at_lines = tasks / (private + visits * lock), 0.0
        for _ in range(40 if serial else 0):
            lines = serial * (1 + at_lines * others)
            speed += 0.3 * (tasks / (private + visits * lock + lines) - speed)
            at_lines = speed * lines
        return speed, speed * visits / stripes * lock

    # The longest queue that keeps itself up: some thread is descheduled with the lock sooner or later, and begins it.
    low, high = 0.0, float(tasks)
    steps = [tasks * step / 64 for step in range(65)]
    for shorter, longer in zip(reversed(steps[:-1]), reversed(steps[1:])):
        if speed(shorter)[1] >= shorter:
            low, high = shorter, longer
            break
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if speed(middle)[1] >= middle else (low, middle)
    return speed(low)[0] * 1000


def inputs(designs, changes):
    machine = dict(MACHINE)
    paths = {name: {"alone": 1000 / measured[0], **PATHS[name]} for name, (_, measured) in MEASURED.items()}
    for design in designs:
        for name, change in DESIGNS[design].items():
            (machine if name == "machine" else paths[name]).update(change)
    for change in changes:
        where, _, value = change.partition("=")
        name, _, key = where.partition(".")
        (machine if name == "machine" else paths[name])[key] = float(value)
    return machine, paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", default=[], choices=list(DESIGNS))
    parser.add_argument("--set", action="append", default=[], metavar="PATH.INPUT=VALUE")
    asked = parser.parse_args()
    machine, paths = inputs(asked.design, asked.set)
    is_fit = not asked.set and all(design == "today" for design in asked.design)
    print("| million reads a second, predicted / measured before | " + " | ".join(map(str, TASKS)) + " | times one |")
    print("| :-- |" + " --: |" * (len(TASKS) + 1))
    errors = []
    for name, (title, measured) in MEASURED.items():
        predicted = [rate(paths[name], tasks, machine) for tasks in TASKS]
        errors += [math.log(one / other) for one, other in zip(predicted, measured)]
        cells = [f"{one:.3g} / {other:g}" for one, other in zip(predicted, measured)]
        print(f"| {title} | " + " | ".join(cells) + f" | {predicted[-1] / predicted[0]:.1f} |")
    if is_fit:
        typical = math.exp(math.sqrt(sum(error * error for error in errors) / len(errors)))
        print(f"\nTypical error: a factor of {typical:.2f}; the largest: {math.exp(max(map(abs, errors))):.2f}.")


if __name__ == "__main__":
    main()
