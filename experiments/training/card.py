"""Writes the cards of the shipped pair, and the page with the scores of both, from their training records and scores.

usage: card.py MODELS RESULTS

MODELS has the folders tiny-student and tiny-master; RESULTS what train.py and evaluate.py left. No number is typed by hand.
"""

import json
import sys
from pathlib import Path

from tasks import TASKS

PAIR = "tiny-student", "tiny-master"


def parameters(folder):
    with open(folder / "model.safetensors", "rb") as f:
        header = json.loads(f.read(int.from_bytes(f.read(8), "little")))
    header.pop("__metadata__", None)
    count = 0
    for tensor in header.values():
        n = 1
        for d in tensor["shape"]:
            n *= d
        count += n
    return count


def percent(x):
    return f"{100 * x:.1f}"


def plural(n, word):
    return f"{n} {word}{'' if n == 1 else 's'}"


def cell(r):
    low, high = r["interval"]
    return f"{percent(r['accuracy'])} [{percent(low)}, {percent(high)}]"


def card(name, folder, t):
    c, a = t["hidden"], t["arguments"]
    return f"""---
license: other
library_name: transformers
pipeline_tag: text-generation
---
<!-- written by experiments/training/card.py -->

# {name}

{parameters(folder) / 1e6:.2f} million parameters, in bfloat16, of the Gemma 3 text architecture: {plural(c['num_hidden_layers'], 'layer')} of width {c['hidden_size']},
{plural(c['num_attention_heads'], 'query head')} and {plural(c['num_key_value_heads'], 'key-value head')} of size {c['head_dim']}, GELU of width {c['intermediate_size']}, a window of {c['sliding_window']}
tokens in two of three layers, context {c['max_position_embeddings']}, a SentencePiece tokenizer of {c['vocab_size']:,} pieces. Trained from nothing on {t['tokens'] / 1e6:.1f} million tokens
({t['step']:,} steps, {t['minutes']:.0f} minutes of two CPU cores, seed {a['seed']}). [Scores, data, limits](../README.md).
"""


def page(models, scores):
    student, master = (scores[n]["tasks"] for n in PAIR)
    rows = ["| Task | student's accuracy % | AUROC | master's accuracy % | AUROC |", "|---|---|---|---|---|"]
    for t in TASKS:
        s, m = student[t.name], master[t.name]
        rows.append(f"| {t.name} | {cell(s)} | {s['auroc']:.3f} | {cell(m)} | {m['auroc']:.3f} |")
    return f"""<!-- written by experiments/training/card.py -->
# The quickstart's models

Each folder is one model, as the Hugging Face hub lays out a Gemma 3 text model, embedded in the binary. They have the shape of Google's models,
not their weights: [how they were trained, on what, and its terms](../training/README.md). Use the weights for research and teaching only.

They know their prompts (`experiments/catalog`) and nothing else, and err often enough to be worth deferring. Questions about one person among
several were not learnt. Some rows are ambiguous on purpose (reviews about 2.6 %, tickets 3 %). The confidence (the label's share among the
labels, or exp of the mean log-probability of the text) was not calibrated.

On {scores[PAIR[0]]['rows']:,} fresh rows of each built-in task and the first of each real study file, with Wilson's 95 % intervals:

{chr(10).join(rows)}
"""


def main(models, results):
    models, results = Path(models), Path(results)
    read = lambda name, what: json.loads((results / f"{name}-{what}.json").read_text())
    for name in PAIR:
        (models / name / "README.md").write_text(card(name, models / name, read(name, "training")))
    (models / "README.md").write_text(page(models, {n: read(n, "scores") for n in PAIR}))


if __name__ == "__main__":
    main(*sys.argv[1:])
