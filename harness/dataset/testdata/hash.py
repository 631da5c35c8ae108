"""Computes the hashes of TestHashVector from the description of dataset.Hash."""

import hashlib
import struct


def number(n):
    return struct.pack("<q", n)


def text(s):
    b = s.encode()
    return number(len(b)) + b


def digest(examples):
    out = b"\x01"
    for e in examples:
        out += b"E" + text(e["id"]) + number(len(e["fields"]))
        for name in sorted(e["fields"], key=str.encode):
            out += text(name) + text(e["fields"][name])
        out += number(e["class"]) + number(len(e["references"]))
        for r in e["references"]:
            out += text(r)
        out += text(e["group"])
    return hashlib.sha256(out + b"." + number(len(examples))).hexdigest()


print(digest([
    {"id": "a", "fields": {"text": "größe", "n": ""}, "class": -1, "references": ["x", ""], "group": "g"},
    {"id": "b", "fields": {}, "class": 2, "references": [], "group": ""},
]))
print(digest([]))
