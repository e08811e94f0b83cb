"""Compares remote-parquet with pyarrow."""

import json
import os
import random
import sys

import pyarrow
import pyarrow.parquet

from common import done, equal, fail, make_old, path, run

COLUMNS = ["id", "small", "ratio", "name", "maybe", "sparse", "city.name", "raw"]


def table(count):
    choose = random.Random(11)

    def sometimes(share, value):
        return value if choose.random() < share else None

    cities = ["Zürich", "Kyōto", "A \"quoted\"\nline", ""]
    return pyarrow.table(
        {
            "id": pyarrow.array(range(-5, count - 5), pyarrow.int64()),
            "small": pyarrow.array([choose.randint(-(2**31), 2**31 - 1) for _ in range(count)], pyarrow.int32()),
            "ratio": pyarrow.array([choose.choice([0.1, 1e300, -2.5e-7, choose.random()]) for _ in range(count)]),
            "name": pyarrow.array([choose.choice(["one", "two", "three 3", "日本"]) for _ in range(count)]),
            "maybe": pyarrow.array([sometimes(0.7, choose.randint(0, 99)) for _ in range(count)], pyarrow.int32()),
            "sparse": pyarrow.array([sometimes(0.01, choose.random()) for _ in range(count)], pyarrow.float64()),
            "city": pyarrow.array(
                [sometimes(0.9, {"name": sometimes(0.9, choose.choice(cities))}) for _ in range(count)]),
            "raw": pyarrow.array([choose.randbytes(choose.randint(0, 6)) for _ in range(count)], pyarrow.binary()),
            "flag": pyarrow.array([choose.random() < 0.5 for _ in range(count)]),
            "list": pyarrow.array([[number] * (number % 3) for number in range(count)], pyarrow.list_(pyarrow.int32())),
        },
        schema=pyarrow.schema(
            [
                pyarrow.field("id", pyarrow.int64(), nullable=False), ("small", pyarrow.int32()),
                ("ratio", pyarrow.float64()), ("name", pyarrow.string()), ("maybe", pyarrow.int32()),
                ("sparse", pyarrow.float64()), ("city", pyarrow.struct([("name", pyarrow.string())])),
                ("raw", pyarrow.binary()), ("flag", pyarrow.bool_()), ("list", pyarrow.list_(pyarrow.int32())),
            ]))


# Without what the programs skip.
SMALL = {"write_statistics": False, "store_schema": False}

# Rows, rows of a group, and how it is written.
FILES = {
    "small.parquet": (60, 40, {"compression": "NONE", "write_page_checksum": True, **SMALL}),
    "small-v2.parquet": (
        60, 60, {"compression": "GZIP", "data_page_version": "2.0", "write_page_checksum": True, **SMALL}),
    "plain.parquet": (50_000, 20_000, {"compression": "NONE", "use_dictionary": False}),
    "gzip.parquet": (50_000, 30_000, {"compression": "GZIP", "data_page_size": 8_000}),
    "snappy.parquet": (50_000, 30_000, {"compression": "SNAPPY", "write_page_checksum": True}),
    "snappy-v2.parquet": (
        50_000, 30_000, {"compression": "SNAPPY", "data_page_version": "2.0", "data_page_size": 10_000}),
    "delta.parquet": (1_000, 1_000, {"use_dictionary": False, "column_encoding": {"id": "DELTA_BINARY_PACKED"}}),
    "zstd.parquet": (1_000, 1_000, {"compression": "ZSTD"}),
}
# A footer that is longer than the first read.
FILES["groups.parquet"] = (3_000, 20, {"compression": "SNAPPY"})


def make():
    for name, (count, group, options) in FILES.items():
        pyarrow.parquet.write_table(table(count), path(name), row_group_size=group, **options)
        make_old(name)


def description(name):
    file = pyarrow.parquet.ParquetFile(path(name))
    metadata = file.metadata
    lines = [
        f"rows: {metadata.num_rows}", f"row groups: {metadata.num_row_groups}", f"created by: {metadata.created_by}",
    ]
    for index in range(metadata.num_columns):
        column = file.schema.column(index)
        kind = "repeated" if column.max_repetition_level else "optional" if column.max_definition_level else "required"
        lines.append(f"column {column.path}: {kind} {column.physical_type}")
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        lines.append(f"row group {number}: {group.num_rows} rows")
        for index in range(group.num_columns):
            column = group.column(index)
            offset = column.data_page_offset
            if column.has_dictionary_page:
                offset = min(offset, column.dictionary_page_offset)
            lines.append(
                f"  {column.path_in_schema}: {column.num_values} values, {column.total_compressed_size} bytes "
                f"at {offset}, {column.compression}, {' '.join(column.encodings)}")
    return lines


def parsed(line, name):
    """A printed value as pyarrow has it."""
    if line == "null":
        return None
    if line.startswith('"'):
        text = json.loads(line)
        return text.encode() if name == "raw" else text
    if line.startswith("0x"):
        return bytes.fromhex(line[2:])
    return float(line) if name in ("ratio", "sparse") else int(line)


def expected(file, name, group):
    column = file.read_row_group(group, columns=[name]).column(name.split(".")[0]).to_pylist()
    return [value and value["name"] for value in column] if name == "city.name" else column


def check():
    for name in FILES:
        # The tail, and what of a long footer is before it.
        output, _, _ = run("remote-parquet", name, requests=2)
        # The order in which a writer lists the encodings means nothing.
        def unordered(line):
            head, comma, encodings = line.rpartition(", ")
            return head + comma + " ".join(sorted(encodings.split(" "))) if line.startswith("  ") else line

        equal(
            [unordered(line) for line in output.decode().splitlines()],
            [unordered(line) for line in description(name)], f"the description of {name}")
    for name in FILES:
        if name in ("delta.parquet", "zstd.parquet"):
            continue
        file = pyarrow.parquet.ParquetFile(path(name))
        last = file.metadata.num_row_groups - 1
        for group in {0, last}:
            for column in COLUMNS:
                output, _, read = run("remote-parquet", name, column, str(group), requests=3)
                values = [parsed(line, column) for line in output.decode().splitlines()]
                equal(values, expected(file, column, group), f"'{column}' of row group {group} of {name}")
                if os.path.getsize(path(name)) > 1_000_000 and read > 600_000:
                    fail(f"'{column}' of {name} took {read} bytes")
    for name, arguments, message in [
        ("zstd.parquet", ["id"], "pages are compressed with ZSTD"),
        ("delta.parquet", ["id"], "is encoded as DELTA_BINARY_PACKED"),
        ("small.parquet", ["flag"], "is BOOLEAN, which is not read here"),
        ("small.parquet", ["list.list.element"], "is a list or a map"),
        ("small.parquet", ["nothing"], "there is no column 'nothing'"),
        ("small.parquet", ["id", "2"], "there is no row group 2"),
    ]:
        found = run("remote-parquet", name, *arguments, requests=9, fails=True)
        if message not in found or name not in found:
            fail(f"the error of {arguments} of {name}: {found}")
    done("Parquet")


if sys.argv[1:] == ["make"]:
    make()
else:
    check()
