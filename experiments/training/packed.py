"""Training rows as token ids, packed into flat arrays and drawn in batches."""

import os
import random
from pathlib import Path

import numpy as np
import sentencepiece as spm

from model import BOS, EOS, PAD
from drill import again, drill
from tasks import REPO, TASKS, builtin_rows, examples, real_rows

ROWS = 1_000_000  # drawn from each built-in train stream
SEED = 7  # of that draw
USED = 500_000  # packed of them
DRILLS = 60_000  # passages of the same draw, from its end, made into drills
SHORT = 44  # tokens of a short passage's prompt: two people, for the most part
HELD_OUT = 500  # last rows of each real file, for the log only
LENGTHS = (24, 32, 40, 48, 56, 64, 80, 96, 128)  # padded lengths; longer rows are left out
DROPPED = 0.1  # of a real text's tokens, drawn anew each time, against learning the few rows by heart


def work():
    return Path(os.environ.get("INFNET_BUILTIN", REPO / "experiments/training/work"))


def processor(path):
    return spm.SentencePieceProcessor(model_file=str(path))


def encode(sp, task, rows):
    """[bos + prompt ids, answer ids (+ eos for generation)] per row."""
    prompts, answers = zip(*examples(task, rows))
    end = [] if task.labels else [EOS]
    return [([BOS] + p, a + end) for p, a in zip(sp.encode(list(prompts)), sp.encode(list(answers)))]


def pack(sp, task):
    file = work() / f"packed-{task.name}.npz"
    if not file.exists():
        if task.builtin:
            rows = builtin_rows(task.name, "train", ROWS, SEED)[:USED]
        else:
            rows = real_rows(task.name, "train")[:-HELD_OUT]
        pairs = encode(sp, task, rows)
        ids = np.concatenate([np.array(p + a, np.uint16) for p, a in pairs])
        size = np.array([[len(p), len(a)] for p, a in pairs], np.int32)
        np.savez(file, ids=ids, size=size)
    z = np.load(file)
    return z["ids"], z["size"], np.concatenate([[0], np.cumsum(z["size"].sum(1))])


def pack_drills(sp):
    """Inputs, places of answers and answers of the drills; see drill.py."""
    file = work() / "packed-drills.npz"
    if not file.exists():
        draw, rows = random.Random(5), []
        for r in builtin_rows("lookup", "train", ROWS, SEED)[-DRILLS:]:
            x, at, y = [BOS] + sp.encode("Passage: " + r["fields"]["context"]), [], []
            for start, end in again(r["fields"]["context"], draw):
                ask, say = sp.encode(" " + start), sp.encode(end)
                x += ask
                at += range(len(x) - 1, len(x) + len(say) - 1)
                x += say + sp.encode(".")
                y += say
            for q, answer in drill(r["fields"]["context"], draw):
                ask, say = sp.encode(f"\nQuestion: {q}\nAnswer:"), sp.encode(" " + answer)
                if len(x) + len(ask) + len(say) > LENGTHS[-1]:
                    break
                x += ask
                at += range(len(x) - 1, len(x) + len(say))
                x += say
                y += say + [EOS]
            if len(x) <= LENGTHS[-1]:
                rows.append((x, at, y))
        flat = lambda k: np.concatenate([np.array(r[k], np.uint16) for r in rows])
        np.savez(file, x=flat(0), at=flat(1), y=flat(2), size=np.array([[len(r[0]), len(r[1])] for r in rows], np.int32))
    z = np.load(file)
    starts = lambda k: np.concatenate([[0], np.cumsum(z["size"][:, k])])
    return z["x"], z["at"], z["y"], z["size"], starts(0), starts(1)


class Batches:
    """An endless, seeded sequence of batches of one padded length each.

    Rows of all tasks are drawn by share, pooled and sorted by length, so that a
    batch mixes tasks of like length and pads little. A share `short` of the
    passages of lookup is drawn from the short ones, where finding a fact is
    learnt first. `seek` makes it resumable: pool k depends on the seed and k
    alone.
    """

    POOL = 4096

    def __init__(self, sp, tokens, seed, shares=None, short=0.0):
        self.tokens, self.seed, self.short = tokens, seed, short
        self.data = [pack(sp, t) for t in TASKS]
        named = shares or {}
        shares = np.array([named.get(t.name, t.share) for t in TASKS] + [named.get("drill", 0.0)])
        self.shares = shares / shares.sum()
        self.drills = pack_drills(sp) if shares[-1] else None
        self.brief = [np.flatnonzero(size[:, 0] <= SHORT) for _, size, _ in self.data]

    def row(self, r, k):
        """Inputs, places of the answer, answer, weight of a token of it."""
        if k == len(TASKS):
            return self.drill(r)
        task = TASKS[k]
        ids, size, start = self.data[k]
        if not task.builtin:
            i = r.integers(len(size))
        elif task.name == "lookup" and r.random() < self.short:
            i = r.choice(self.brief[k])
        else:
            i = self.next_row(k)
        p, a = size[i]
        x = ids[start[i] : start[i] + p + a].astype(np.int64)
        if not task.builtin:
            keep = r.random(p) >= DROPPED
            keep[:4] = keep[-6:] = True
            x, p = np.concatenate([x[:p][keep], x[p:]]), int(keep.sum())
        return x[:-1], np.arange(p - 1, len(x) - 1), x[p:], task.weight

    def drill(self, r):
        x, at, y, size, sx, sy = self.drills
        i = r.integers(len(size))
        cut = lambda v, s: v[s[i] : s[i + 1]].astype(np.int64)
        return cut(x, sx), cut(at, sy), cut(y, sy), 0.5

    def next_row(self, k):
        i = self.at[k] % len(self.data[k][1])
        self.at[k] += 1
        return i

    def pool(self, number):
        r = np.random.default_rng([self.seed, number])
        kinds = r.choice(len(self.shares), self.POOL, p=self.shares)
        self.at = [int(number * self.POOL * s) for s in self.shares]
        by_length = {n: [] for n in LENGTHS}
        for k in kinds:
            row = self.row(r, k)
            fit = [n for n in LENGTHS if len(row[0]) <= n]
            if fit:
                by_length[fit[0]].append(row)
        batches = []
        for n, rows in by_length.items():
            many = self.tokens // n
            # A short rest is filled up with rows of the same length, so that shapes are few.
            for i in range(0, len(rows), many):
                part = rows[i : i + many]
                if len(part) < many:
                    if i == 0:
                        continue
                    part = part + rows[: many - len(part)]
                batches.append(collate(part, n))
        r.shuffle(batches)
        return batches

    def seek(self, step):
        """(number, batch) pairs from a step on, without end."""
        number, count = 0, 0
        while True:
            batches = self.pool(number)
            for b in batches:
                if count >= step:
                    yield b
                count += 1
            number += 1


def collate(rows, length):
    """Padded inputs, flat places, answers and weights of (inputs, places, answer, weight) rows."""
    x = np.full((len(rows), length), PAD, np.int64)
    for i, (ids, _, _, _) in enumerate(rows):
        x[i, : len(ids)] = ids
    at = np.concatenate([i * length + r[1] for i, r in enumerate(rows)])
    w = np.concatenate([np.full(len(r[2]), r[3], np.float32) for r in rows])
    return x, at, np.concatenate([r[2] for r in rows]), w
