"""Compares remote-zip with Python's zipfile and with unzip."""

import io
import os
import random
import shutil
import subprocess
import sys
import zipfile

from common import FOLDER, URL, done, equal, fail, make_old, path, run

METHODS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated", zipfile.ZIP_LZMA: "method 14"}


def noise(count, seed):
    return random.Random(seed).randbytes(count)


def text(count):
    """Compresses to about a third."""
    words = [noise(4, number).hex() for number in range(500)]
    choose = random.Random(7)
    return " ".join(choose.choice(words) for _ in range(count // 9)).encode()


class Unseekable(io.RawIOBase):
    """Makes zipfile write sizes behind the contents."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def fill(archive):
    archive.writestr("stored.txt", b"kept as it is\n", zipfile.ZIP_STORED)
    archive.writestr("folder/", b"")
    archive.writestr("folder/deflated.txt", text(3000), zipfile.ZIP_DEFLATED)
    archive.writestr("empty", b"", zipfile.ZIP_STORED)
    archive.writestr("empty and deflated", b"", zipfile.ZIP_DEFLATED)
    archive.writestr("bücher/日本.txt", "grüße".encode(), zipfile.ZIP_DEFLATED)
    archive.writestr("noise", noise(2000, 1), zipfile.ZIP_DEFLATED)


def make():
    with zipfile.ZipFile(path("small.zip"), "w") as archive:
        fill(archive)
        archive.comment = b"made by check_zip.py"
    with open(path("streamed.zip"), "wb") as file, zipfile.ZipFile(Unseekable(file), "w") as archive:
        fill(archive)
    with open(path("prefixed.zip"), "wb") as file:
        file.write(b"#!/bin/sh\n" * 50)
        with open(path("small.zip"), "rb") as small:
            shutil.copyfileobj(small, file)
    # ZIP64 in the entries, and at the end of the archive.
    limit, zipfile.ZIP_FILECOUNT_LIMIT = zipfile.ZIP_FILECOUNT_LIMIT, 1
    with zipfile.ZipFile(path("zip64.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            with archive.open(f"entry {number}", "w", force_zip64=True) as entry:
                entry.write(text(1000 + number))
        archive.comment = b"ZIP64"
    zipfile.ZIP_FILECOUNT_LIMIT = limit
    with open(path("zip64-prefixed.zip"), "wb") as file:
        file.write(b"prefix" * 100)
        with open(path("zip64.zip"), "rb") as inner:
            shutil.copyfileobj(inner, file)
    with zipfile.ZipFile(path("many.zip"), "w") as archive:
        for number in range(70_000):
            archive.writestr(f"{number:05}", str(number))
    with zipfile.ZipFile(path("large.zip"), "w") as archive:
        archive.writestr("first", noise(3 << 20, 2), zipfile.ZIP_STORED)
        archive.writestr("second", text(9 << 20), zipfile.ZIP_DEFLATED)
        archive.writestr("third", b"short", zipfile.ZIP_STORED)
        archive.comment = b"x" * 65_535
    with zipfile.ZipFile(path("lzma.zip"), "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("entry", text(1000))
    with open(path("small.zip"), "rb") as small:
        damaged = bytearray(small.read())
    damaged[45] ^= 1
    with open(path("wrong.damaged"), "wb") as file:
        file.write(damaged)


ARCHIVES = ["small.zip", "streamed.zip", "prefixed.zip", "zip64.zip", "zip64-prefixed.zip", "many.zip", "large.zip"]

# Whole megabytes of a long directory.
DIRECTORY = {"many.zip": 3}


def listing(name):
    with zipfile.ZipFile(path(name)) as archive:
        lines = [f"comment: {archive.comment.decode()}"] if archive.comment else []
        lines.append("bytes\tcompressed\tmethod\tcrc-32\tname")
        for entry in archive.infolist():
            lines.append(
                f"{entry.file_size}\t{entry.compress_size}\t{METHODS[entry.compress_type]}\t{entry.CRC:08x}\t"
                f"{entry.filename}")
    return "\n".join(lines) + "\n"


def check():
    for name in ARCHIVES + ["lzma.zip"]:
        # The tail, and what of a long directory is before it, which several connections may bring.
        output, _, read = run("remote-zip", name, requests=2 + DIRECTORY.get(name, 0))
        equal(output.decode(), listing(name), f"the list of {name}")
        if name == "large.zip" and read > 66_000:
            fail(f"the list of {name} took {read} bytes")
    for name in ARCHIVES:
        with zipfile.ZipFile(path(name)) as archive:
            names = archive.namelist()
            for entry in names if len(names) < 100 else [names[0], names[35_000], names[-1]]:
                size = archive.getinfo(entry).compress_size
                # After the tail and the directory one request, and one for each further megabyte.
                output, _, read = run("remote-zip", name, entry, requests=3 + DIRECTORY.get(name, 0) + (size >> 20))
                equal(output, archive.read(entry), f"'{entry}' of {name}")
                if name == "large.zip" and read > 67_000 + size:
                    fail(f"'{entry}' of {name} took {read} bytes, and it has {size}")
    if shutil.which("unzip"):
        for name, entry in [("small.zip", "folder/deflated.txt"), ("zip64.zip", "entry 1"), ("large.zip", "second")]:
            unzipped = subprocess.run(["unzip", "-p", path(name), entry], capture_output=True, check=True).stdout
            equal(run("remote-zip", name, entry, requests=9)[0], unzipped, f"'{entry}' of {name} by unzip")
    for name, entry, message in [
        ("lzma.zip", "entry", "is compressed with method 14"),
        ("small.zip", "nothing", "no entry is called 'nothing'"),
        ("wrong.damaged", "stored.txt", "the CRC-32 of 'stored.txt' is wrong"),
    ]:
        found = run("remote-zip", name, entry, requests=9, fails=True)
        if message not in found or name not in found:
            fail(f"the error of '{entry}' of {name}: {found}")
    done("ZIP")


if sys.argv[1:] == ["make"]:
    make()
    for name in os.listdir(FOLDER):
        make_old(name)
else:
    check()
