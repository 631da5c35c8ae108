"""Writes the Parquet fixtures of this folder, as an oracle independent of the
library that reads them: pip install pyarrow==26.0.1; python make_parquet.py

Each file holds the same five rows, laid out in another way.
"""

import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

rows = pa.table({
    "id": ["a", "b", "c", "d", "e"],
    "question": ["Wer?", "who \u2013 \"quoted\", 100 %?", "日本", "", "e\nf"],
    "label": pa.array([0, 1, 2, 1, 0], pa.int64()),
    "small": pa.array([0, 1, 2, 1, None], pa.int8()),
    "unsigned": pa.array([0, 1, 2, 1, 2**64 - 1], pa.uint64()),
    "half": pa.array([0.5, 0.1, -2.0, 1e10, 3.25], pa.float32()),
    "double": pa.array([0.5, 0.1, -2.0, 1e300, 3.25], pa.float64()),
    "flag": [True, False, True, True, False],
    "kind": pa.array(["u", "v", "u", "u", "w"]).dictionary_encode(),
    "bytes": pa.array([b"x", b"y", b"z", b"\xff\xfe", b"w"], pa.binary()),
    "answers": [
        {"text": ["t1", "t2"], "answer_start": [1, 2]},
        {"text": ["u"], "answer_start": [7]},
        {"text": ["v", "v", "w"], "answer_start": [3, 3, 4]},
        {"text": [], "answer_start": []},
        {"text": ["x"], "answer_start": [0]},
    ],
    "translation": [{"de": "Hund", "en": "dog"}, {"de": "Katze", "en": "cat"}, {"de": "Kuh", "en": "cow"}, {"de": None, "en": "hen"}, None],
    "options": [[{"text": "A", "n": 1}, {"text": "B", "n": 2}]] * 5,
    "price": pa.array([Decimal("19.99"), Decimal("-0.05"), Decimal("7.00"), None, Decimal("1.00")], pa.decimal128(7, 2)),
    "day": pa.array([datetime.date(2024, 2, 29)] * 5),
    "moment": pa.array([datetime.datetime(2024, 2, 29, 12, 30, 5, 250000)] * 5, pa.timestamp("us", tz="UTC")),
    "attributes": pa.array([[("k", "v")], [], [("a", "b"), ("c", "d")], [], []], pa.map_(pa.string(), pa.string())),
})

pq.write_table(rows, "element_snappy.parquet", compression="snappy")
pq.write_table(rows, "item_zstd.parquet", compression="zstd", use_compliant_nested_type=False)
pq.write_table(rows, "element_gzip_groups.parquet", compression="gzip", row_group_size=2, data_page_version="2.0")
pq.write_table(rows, "item_plain.parquet", compression="none", use_dictionary=False, use_compliant_nested_type=False)
pq.write_table(rows.slice(0, 0), "no_rows.parquet")
