"""Rows of lists, objects and maps of every depth, with nulls and empty ones, as JSON and as Parquet in two layouts.

pyarrow 26.0.1: python make_nested.py
"""
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq

random.seed(7)
T = pa.schema([
 ("a", pa.list_(pa.struct([("t", pa.list_(pa.string())), ("n", pa.int64())]))),
 ("b", pa.struct([("x", pa.struct([("y", pa.list_(pa.list_(pa.int32())))])), ("z", pa.string())])),
 ("m", pa.map_(pa.string(), pa.list_(pa.string()))),
 ("mm", pa.map_(pa.string(), pa.struct([("k", pa.int64()), ("l", pa.list_(pa.bool_()))]))),
 ("s", pa.string()), ("f", pa.list_(pa.float64())),
])
def opt(f,p=.2): return None if random.random()<p else f()
def lst(f): return [f() for _ in range(random.choice([0,0,1,2,3]))]
S=lambda: random.choice(["","x","é","long text "*3])
def row():
    return {"a": opt(lambda: lst(lambda: opt(lambda: {"t": opt(lambda: lst(lambda: opt(S))), "n": opt(lambda: random.randint(-5,5))}))),
     "b": opt(lambda: {"x": opt(lambda: {"y": opt(lambda: lst(lambda: opt(lambda: lst(lambda: opt(lambda: random.randint(0,9))))))}), "z": opt(S)}),
     "m": opt(lambda: {k: opt(lambda: lst(lambda: opt(S))) for k in random.sample("pqrs", random.randint(0,3))}),
     "mm": opt(lambda: {k: opt(lambda: {"k": opt(lambda: random.randint(0,9)), "l": opt(lambda: lst(lambda: opt(lambda: random.random()<.5)))}) for k in random.sample("pqrs", random.randint(0,3))}),
     "s": opt(S), "f": opt(lambda: lst(lambda: opt(lambda: random.randint(-8,8)/4)))}
rows=[row() for _ in range(60)]
conv=[dict(r, m=None if r["m"] is None else list(r["m"].items()), mm=None if r["mm"] is None else list(r["mm"].items())) for r in rows]
t=pa.Table.from_pylist(conv, schema=T)
layouts = {
    "nested_small_groups": dict(row_group_size=25, data_page_version="2.0", compression="zstd"),
    "nested_item": dict(use_compliant_nested_type=False, use_dictionary=False, compression="none", data_page_size=256),
}
for name, how in layouts.items():
    pq.write_table(t, name + ".parquet", **how)
with open("nested.jsonl", "w") as f:
    f.writelines(json.dumps(r) + "\n" for r in rows)
