"""Training rows as token ids, packed into flat arrays and drawn in batches."""

import os
from pathlib import Path

import numpy as np
import sentencepiece as spm

from model import BOS, EOS, PAD
from tasks import REPO, TASKS, builtin_rows, examples, real_rows

ROWS = 1_000_000  # drawn from each built-in train stream
SEED = 7  # of that draw
USED = 500_000  # packed of them
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


class Batches:
    """An endless, seeded sequence of batches of one padded length each.

    Rows of all tasks are drawn by share, pooled and sorted by length, so that a
    batch mixes tasks of like length and pads little. `seek` makes it resumable:
    pool k depends on the seed and k alone.
    """

    POOL = 4096

    def __init__(self, sp, tokens, seed):
        self.tokens, self.seed = tokens, seed
        self.data = [pack(sp, t) for t in TASKS]
        self.shares = np.array([t.share for t in TASKS]) / sum(t.share for t in TASKS)

    def row(self, r, k, task):
        ids, size, start = self.data[k]
        i = r.integers(len(size)) if not task.builtin else self.next_row(k)
        p, a = size[i]
        x = ids[start[i] : start[i] + p + a].astype(np.int64)
        if not task.builtin:
            keep = r.random(p) >= DROPPED
            keep[:4] = keep[-6:] = True
            x, p = np.concatenate([x[:p][keep], x[p:]]), int(keep.sum())
        return x, p, task.weight

    def next_row(self, k):
        i = self.at[k] % len(self.data[k][1])
        self.at[k] += 1
        return i

    def pool(self, number):
        r = np.random.default_rng([self.seed, number])
        kinds = r.choice(len(TASKS), self.POOL, p=self.shares)
        self.at = [int(number * self.POOL * s) for s in self.shares]
        by_length = {n: [] for n in LENGTHS}
        for k in kinds:
            row = self.row(r, k, TASKS[k])
            fit = [n for n in LENGTHS if len(row[0]) - 1 <= n]
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
    x = np.full((len(rows), length), PAD, np.int64)
    at, y, w = [], [], []
    for i, (ids, p, weight) in enumerate(rows):
        x[i, : len(ids) - 1] = ids[:-1]
        at.append(i * length + np.arange(p - 1, len(ids) - 1))
        y.append(ids[p:])
        w.append(np.full(len(ids) - p, weight, np.float32))
    return x, np.concatenate(at), np.concatenate(y), np.concatenate(w)
