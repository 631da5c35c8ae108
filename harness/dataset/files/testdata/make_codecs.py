"""Writes the Parquet fixtures of codecs/ and types.parquet, as an oracle
independent of the library that reads them:

    pip install pyarrow==26.0.1
    python make_codecs.py

codecs/: one table by every codec that pyarrow writes, as data pages of version
1 and 2, with and without dictionary; of LZ4, which is refused, one. pyarrow reads
every file back before it is kept. codecs.jsonl: the same rows.

types*.parquet: columns of the types that a dataset may hold.
"""

import datetime as dt
import json
import os
import uuid
from decimal import Decimal as D

import pyarrow as pa
import pyarrow.parquet as pq

os.makedirs("codecs", exist_ok=True)
n = 150
rows = [{
    "id": f"r{i * 7919 % 1009:04d}",
    "text": None if i % 7 == 3 else f"row {i} " + "abc" * (i % 9),
    "num": i * 0.5,
    "tags": [f"t{i % 5}"] * (i % 3),
} for i in range(n)]
table = pa.Table.from_pylist(rows)
with open("codecs.jsonl", "w") as f:
    f.writelines(json.dumps(r) + "\n" for r in rows)


def check(path):
    assert pq.read_table(path).to_pylist() == rows, path


for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
    for page in ["1.0", "2.0"] if codec != "lz4" else ["1.0"]:
        for dictionary in [False, True] if codec != "lz4" else [True]:
            path = f"codecs/{codec}_v{page[0]}_{'dict' if dictionary else 'plain'}.parquet"
            pq.write_table(table, path, compression=codec, data_page_version=page, use_dictionary=dictionary, row_group_size=100)
            check(path)

t = pa.table({
    "id": ["a", "b", "c"],
    "half": pa.array([0.5, -2.0, 65504.0], pa.float16()),
    "small_half": pa.array([0.1, 6e-8, -0.0], pa.float16()),
    "halfs": pa.array([[0.5], [1.5, 2.5], []], pa.list_(pa.float16())),
    "float": pa.array([0.1, 1, 2], pa.float32()),
    "u8": pa.array([0, 128, 255], pa.uint8()), "u16": pa.array([0, 1, 65535], pa.uint16()),
    "u32": pa.array([0, 1, 2**32 - 1], pa.uint32()), "u64": pa.array([0, 1, 2**64 - 1], pa.uint64()),
    "i8": pa.array([0, -128, 127], pa.int8()), "i16": pa.array([0, -1, 32767], pa.int16()),
    "i32": pa.array([0, -1, 2**31 - 1], pa.int32()), "i64": pa.array([0, -1, 2**63 - 1], pa.int64()),
    "dec5": pa.array([D("1.25"), D("-0.01"), D("999.99")], pa.decimal128(5, 2)),
    "dec38": pa.array([D("1.25"), D("-0.01"), D("123456789012345678901234567890.123456")], pa.decimal128(38, 6)),
    "dec76": pa.array([D("1.25"), D("-0.01"), D("1234567890123456789012345678901234567890.5")], pa.decimal256(76, 6)),
    "date32": pa.array([dt.date(2024, 2, 29), dt.date(1969, 12, 31), dt.date(1, 1, 1)], pa.date32()),
    "date64": pa.array([dt.date(2024, 2, 29), dt.date(1969, 12, 31), dt.date(1, 1, 1)], pa.date64()),
    "ts_ms": pa.array([dt.datetime(2024, 2, 29, 1, 2, 3, 4000)] * 3, pa.timestamp("ms")),
    "ts_us": pa.array([dt.datetime(1969, 2, 28, 1, 2, 3, 4567)] * 3, pa.timestamp("us")),
    "ts_ns": pa.array([dt.datetime(2024, 2, 29, 1, 2, 3, 4567)] * 3, pa.timestamp("ns")),
    "ts_tz": pa.array([dt.datetime(2024, 2, 29, 1, 2, 3)] * 3, pa.timestamp("us", tz="Europe/Berlin")),
    "time_ms": pa.array([dt.time(1, 2, 3, 4000)] * 3, pa.time32("ms")),
    "time_us": pa.array([dt.time(1, 2, 3, 4567)] * 3, pa.time64("us")),
    "time_ns": pa.array([dt.time(23, 59, 59, 4567)] * 3, pa.time64("ns")),
    "duration": pa.array([dt.timedelta(seconds=5)] * 3, pa.duration("s")),
    "bool": [True, False, True],
    "category": pa.array(["x", "y", "x"]).dictionary_encode(),
    "category_number": pa.array([5, 6, 5]).dictionary_encode(),
    "large": pa.array(["ä", "b", "c"], pa.large_string()),
    "view": pa.array(["ä", "b", "c"], pa.string_view()),
    "list": pa.array([["p", "q"], [], ["r"]], pa.list_(pa.string())),
    "large_list": pa.array([["p", "q"], [], ["r"]], pa.large_list(pa.string())),
    "struct": pa.array([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": None, "b": "z"}]),
    "text_bytes": pa.array([b"x", b"y", b"z"], pa.binary()),
    "bytes": pa.array([b"\x00\x01", b"\xff", b"\x80z"], pa.binary()),
    "fixed_bytes": pa.array([b"\x00\x01\x02\x03", b"zzzz", b"\xff\xff\xff\xff"], pa.binary(4)),
    "null": pa.array([None] * 3, pa.null()),
    "uuid": pa.array([uuid.UUID(int=i).bytes for i in (1, 2, 3)], pa.uuid()),
    "json": pa.array(['{"a": 9007199254740993}', "[]", "9007199254740993"], pa.json_(pa.string())),
    "bool8": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 1], pa.int8())),
})
pq.write_table(t, "types.parquet")
pq.write_table(t.select(["ts_ms", "ts_us", "ts_ns"]), "types_int96.parquet", use_deprecated_int96_timestamps=True)
pq.write_table(pa.table({
    "dec5": t["dec5"],
    "dec18": pa.array([D("1.25"), D("-0.01"), D("1234567890123456.99")], pa.decimal128(18, 2)),
}), "types_decimal_int.parquet", store_decimal_as_integer=True)
