"""FILE PLAN: writes a Parquet file of 8 row groups and 12 columns of 64-bit integers, 1 MB for each column of a row group. PLAN
becomes JSON: the ranges of the footer and of column c5, and the digest of that column's values."""

import hashlib
import json
import sys

import numpy
import pyarrow
import pyarrow.parquet

GROUPS, COLUMNS, ROWS, COLUMN, TAIL = 8, 12, 125_000, 5, 65_536

numbers = numpy.random.default_rng(5)
schema = pyarrow.schema([(f"c{number}", pyarrow.int64()) for number in range(COLUMNS)])
digest = hashlib.sha256()
with pyarrow.parquet.ParquetWriter(sys.argv[1], schema, compression="none", use_dictionary=False) as writer:
    for _ in range(GROUPS):
        columns = [numbers.integers(1 << 62, size=ROWS) for _ in range(COLUMNS)]
        digest.update(columns[COLUMN].tobytes())
        writer.write_table(pyarrow.table(columns, schema=schema))
metadata = pyarrow.parquet.read_metadata(sys.argv[1])
chunks = []
for number in range(metadata.num_row_groups):
    chunk = metadata.row_group(number).column(COLUMN)
    chunks.append((chunk.data_page_offset, chunk.data_page_offset + chunk.total_compressed_size))
with open(sys.argv[1], "rb") as file:
    size = file.seek(0, 2)
assert metadata.num_row_groups == GROUPS and metadata.serialized_size < TAIL - 8
with open(sys.argv[2], "w") as file:
    json.dump({"groups": [[(size - TAIL, size)], chunks], "names": [f"c{COLUMN}"], "digest": digest.hexdigest()}, file)
