"""What `world` reads, and by which programs."""

import hashlib
import json
import os
import random
import subprocess
import zipfile

from experiments import ALL_LINKS, RANGES, SIZE, least
from servers import MEBIBYTE, make_object

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ("first", "last", "scattered", "tasks", "stream", "zip", "parquet")
# Only if it is asked for.
MORE = ("tiny",)
# How much of an object is streamed, by the link's rate: the same time for one connection, more or less.
STREAMED = {200e6: 1024 * MEBIBYTE, 20e6: 256 * MEBIBYTE, 2e6: 32 * MEBIBYTE}
ENTRIES, EXTRACTED = 3000, 20
# As far from the end as the record with which ZIP files end can begin.
ZIP_TAIL = 65_577


class Workload:
    """Groups of ranges of one object that is served, and the programs that read them: those of `formats.py` get names instead, and
    return contents."""

    def __init__(self, name, groups, programs, path, names=(), contents=None):
        self.name = name
        self.groups = groups
        self.programs = programs
        self.path = path
        self.names = names
        self.contents = contents
        self.ranges = digest(path, groups)

    def least(self, link):
        return least(self.groups, link)

    def byte_count(self):
        """The bytes that were asked for; those of two ranges count once."""
        count, end = 0, 0
        for lower, upper in sorted(one for group in self.groups for one in group):
            count += max(0, upper - max(lower, end))
            end = max(end, upper)
        return count

    def prepare(self, scratch):
        """Writes what its programs take: the files of ranges and of names."""
        files = [os.path.join(scratch, f"{self.name}.{kind}") for kind in ("ranges", "names")]
        with open(files[0], "w") as file:
            file.write("\n".join("".join(f"{lower} {upper}\n" for lower, upper in group) for group in self.groups))
        with open(files[1], "w") as file:
            file.writelines(f"{name}\n" for name in self.names)
        return files


def digest(path, groups):
    whole = hashlib.sha256()
    with open(path, "rb") as file:
        for lower, upper in (one for group in groups for one in group):
            file.seek(lower)
            while lower < upper:
                piece = file.read(min(MEBIBYTE, upper - lower))
                whole.update(piece)
                lower += len(piece)
    return whole.hexdigest()


def workload(name, link, root, scratch, python, is_quick):
    """The workload of a name. What it reads is in `root`, made when it is first asked for."""
    if name in ("zip", "parquet"):
        return (zip_archive if name == "zip" else parquet)(root, scratch, python)
    if name == "stream":
        return stream(link, root, is_quick)
    milliseconds, rate = ALL_LINKS[link]
    # What peers have to be told: the most that may lie between ranges of one request.
    gap = int(milliseconds / 1000 * rate)
    programs = {
        "first": ["rangeio --as turns", "obstore in-turn", "fsspec default", "gdal threads", "rclone", "plain"],
        "last": [
            "rangeio --as turns --opening -65536", "obstore in-turn", "fsspec default", "gdal threads", "rclone", "plain"],
        "tiny": ["rangeio --as turns", "obstore in-turn"],
        "scattered": [
            "rangeio --as call", "obstore default", f"obstore {gap}", "fsspec default", f"fsspec {gap}", "gdal multi",
            "gdal threads", "rclone", "plain"],
        "tasks": [
            "rangeio --as tasks", "rangeio --as tasks --connections 64", "obstore tasks", "obstore eight:-1", "fsspec tasks",
            "gdal threads", "rclone", "plain"],
    }
    ranges = RANGES["scattered" if name == "tasks" else name]
    groups = [[one] for one in ranges] if name == "tiny" else [ranges]
    return Workload(name, groups, programs[name], os.path.join(root, "object"))


def stream(link, root, is_quick):
    count = STREAMED.get(ALL_LINKS[link][1], 256 * MEBIBYTE) // (8 if is_quick else 1)
    path = os.path.join(root, "object")
    if count != SIZE:
        path = os.path.join(root, f"object-of-{count // MEBIBYTE}")
        make_object(path, count, 1)
    programs = [
        "rangeio --as stream", "obstore stream", "obstore parts", "fsspec stream", "gdal stream", "rclone cat", "rclone copy",
        "plain parts"]
    return Workload("stream", [[(0, count)]], programs, path)


def zip_archive(root, scratch, python):
    """3,000 stored entries of 4 to 64 KiB: listed by the end of the archive and the rest of its directory, then 20 extracted."""
    path = os.path.join(root, "archive.zip")
    numbers = random.Random(3)
    if not os.path.exists(path):
        with zipfile.ZipFile(path + ".new", "w") as archive:
            for number in range(ENTRIES):
                info = zipfile.ZipInfo(f"folder-{number // 100:03}/file-{number:06}.bin", (2020, 9, 13, 0, 0, 0))
                archive.writestr(info, numbers.randbytes(numbers.randrange(4096, 65_536)))
        os.rename(path + ".new", path)
        os.utime(path, (1_600_000_000,) * 2)
    size = os.path.getsize(path)
    with zipfile.ZipFile(path) as archive:
        chosen = random.Random(20).sample(archive.infolist(), EXTRACTED)
        contents = hashlib.sha256("".join(f"{name}\n" for name in sorted(archive.namelist())).encode())
        for info in chosen:
            contents.update(archive.read(info))
        directory = archive.start_dir
    # An entry begins with a header of 30 bytes and its name.
    entries = [(info.header_offset, info.header_offset + 30 + len(info.filename) + info.compress_size) for info in chosen]
    programs = [
        f"rangeio --as call --opening -{ZIP_TAIL}", f"rangeio --as turns --opening -{ZIP_TAIL}", "obstore default", "gdal multi",
        "formats zip:obstore", "formats zip:fsspec", "formats zip:gdal"]
    groups = [[(size - ZIP_TAIL, size)], [(directory, size - ZIP_TAIL)], entries]
    return Workload("zip", groups, programs, path, [info.filename for info in chosen], contents.hexdigest())


def parquet(root, scratch, python):
    """The footer of a file, then one column of its eight row groups."""
    path, plan = os.path.join(root, "table.parquet"), os.path.join(scratch, "parquet.json")
    if not (os.path.exists(path) and os.path.exists(plan)):
        subprocess.run([python, os.path.join(HERE, "peers", "make_parquet.py"), path, plan], check=True)
        os.utime(path, (1_600_000_000,) * 2)
    with open(plan) as file:
        plan = json.load(file)
    groups = [[tuple(one) for one in group] for group in plan["groups"]]
    programs = [
        "rangeio --as call --opening -65536", "obstore default", "gdal multi", "formats parquet:obstore",
        "formats parquet:fsspec", "formats parquet:duckdb"]
    return Workload("parquet", groups, programs, path, plan["names"], plan["digest"])
