"""Scores a model folder on rows it never saw, and writes the numbers.

usage: evaluate.py FOLDER OUT.json [--seed 20262] [--rows 2000] [--tasks a,b]

Classification: the label whose first token is likeliest; confidence is its
share among the labels. Generation: greedy until <eos> or a line feed;
confidence is exp of the mean log-probability of the generated tokens. Right
means exact match; translation also by token F1 of 0.8 or more. Intervals are
Wilson's (1927) at 95 %; AUROC of the confidence for "right" is the
Mann-Whitney statistic with ties counted half.
"""

import argparse
import json
import math
import re
import string
from collections import Counter
from pathlib import Path

import numpy as np
import torch

import packed
from model import BOS, EOS, load
from tasks import TASKS, builtin_rows, examples, real_rows

MAX_NEW = {"lookup": 8, "phrasebook": 48}


def wilson(right, n, z=1.959963984540054):
    p, d = right / n, 1 + z * z / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    middle = (p + z * z / (2 * n)) / d
    return [max(0.0, middle - half), min(1.0, middle + half)]


def auroc(score, right):
    score, right = np.asarray(score), np.asarray(right, bool)
    if right.all() or not right.any():
        return None
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    for v in np.unique(score):
        same = score == v
        ranks[same] = ranks[same].mean()
    n = right.sum()
    return float((ranks[right].sum() - n * (n + 1) / 2) / (n * (len(right) - n)))


def squad(text):
    text = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def token_f1(answer, reference):
    a, b = squad(answer).split(), squad(reference).split()
    same = sum((Counter(a) & Counter(b)).values())
    return 2 * same / (len(a) + len(b)) if same else 0.0


def by_length(prompts):
    groups = {}
    for i, p in enumerate(prompts):
        groups.setdefault(len(p), []).append(i)
    for n in sorted(groups):
        for k in range(0, len(groups[n]), 64):
            yield groups[n][k : k + 64]


@torch.no_grad()
def classify(model, sp, task, prompts):
    labels = [sp.encode(" " + l)[0] for l in task.labels]
    choice, confidence = np.zeros(len(prompts), int), np.zeros(len(prompts))
    for part in by_length(prompts):
        x = torch.tensor([prompts[i] for i in part])
        share = model(x, torch.arange(1, len(part) + 1) * x.shape[1] - 1)[:, labels].softmax(1)
        choice[part], confidence[part] = share.argmax(1), share.max(1).values
    return choice, confidence


@torch.no_grad()
def generate(model, sp, task, prompts):
    texts, confidence = [""] * len(prompts), np.zeros(len(prompts))
    stop = {EOS, sp.piece_to_id("\n")}
    for part in by_length(prompts):
        x = torch.tensor([prompts[i] for i in part])
        out, logs, done = [[] for _ in part], [[] for _ in part], [False] * len(part)
        for _ in range(MAX_NEW[task.name]):
            lp = model(x, torch.arange(1, len(part) + 1) * x.shape[1] - 1).log_softmax(1)
            best = lp.max(1)
            for j, (t, l) in enumerate(zip(best.indices.tolist(), best.values.tolist())):
                if not done[j]:
                    logs[j].append(l)
                    done[j] = t in stop
                    if not done[j]:
                        out[j].append(t)
            if all(done):
                break
            x = torch.cat([x, best.indices[:, None]], 1)
        for j, i in enumerate(part):
            texts[i], confidence[i] = sp.decode(out[j]).strip(), math.exp(np.mean(logs[j]))
    return texts, confidence


def summary(right, confidence):
    n, k = len(right), int(np.sum(right))
    return {"n": n, "right": k, "accuracy": k / n, "interval": wilson(k, n), "auroc": auroc(confidence, right)}


def evaluate(model, sp, task, rows):
    limit = model.c.max_position_embeddings - MAX_NEW.get(task.name, 1)
    prompts = [([BOS] + sp.encode(p))[-limit:] for p, _ in examples(task, rows)]
    if task.labels:
        choice, confidence = classify(model, sp, task, prompts)
        truth = np.array([r["class"] for r in rows])
        right = choice == truth
        result = summary(right, confidence)
        result["recall"] = {l: float(np.mean(right[truth == c])) for c, l in enumerate(task.labels)}
    else:
        texts, confidence = generate(model, sp, task, prompts)
        right = np.array([squad(t) == squad(r["references"][0]) for t, r in zip(texts, rows)])
        result = summary(right, confidence)
        result["verbatim"] = float(np.mean([t == r["references"][0] for t, r in zip(texts, rows)]))
        f1 = np.array([token_f1(t, r["references"][0]) for t, r in zip(texts, rows)])
        result["token_f1"] = float(f1.mean())
        result["by_token_f1_0.8"] = summary(f1 >= 0.8, confidence)
    if task.builtin:
        depths = np.array([r["fields"]["depth"] for r in rows])
        result["by_depth"] = {str(d): float(np.mean(right[depths == d])) for d in sorted(set(depths))}
    return result


def main():
    a = argparse.ArgumentParser()
    a.add_argument("folder")
    a.add_argument("out")
    a.add_argument("--seed", type=int, default=20262)
    a.add_argument("--rows", type=int, default=2000)
    a.add_argument("--tasks", default=",".join(t.name for t in TASKS))
    a = a.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    model, sp = load(a.folder), packed.processor(Path(a.folder, "tokenizer.model"))
    results = {"rows": a.rows, "seed": a.seed, "tasks": {}}
    for task in TASKS:
        if task.name not in a.tasks.split(","):
            continue
        rows = builtin_rows(task.name, "study", a.rows, a.seed) if task.builtin else real_rows(task.name, "study")[: a.rows]
        r = results["tasks"][task.name] = evaluate(model, sp, task, rows)
        low, high = r["interval"]
        print(f"{task.name:11s} {100 * r['accuracy']:5.1f} % [{100 * low:.1f}, {100 * high:.1f}]  n={r['n']}  AUROC {r['auroc']:.3f}", r.get("by_depth", ""), flush=True)
    Path(a.out).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
