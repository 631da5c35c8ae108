"""Writes the model card of a folder from its training record and scores.

usage: card.py NAME FOLDER TRAINING.json SCORES.json OTHER_SCORES.json [STAGES.json]

TRAINING.json is what train.py left, SCORES.json what evaluate.py wrote; the
other model's scores, where given, are shown beside them. No number in the
card is typed by hand.
"""

import json
import sys
from pathlib import Path

import torch

from model import Config, Gemma3
from tasks import TASKS

DATA = """Data, their terms and the training: [experiments/training](../../training/README.md). SST-2 states no licence, AG News and
emotion are for research and education: use the weights for research and teaching only.
"""

LIMITS = """## Limits

It knows its prompts (`experiments/catalog`) and nothing else, and is made to be wrong often enough to be worth deferring. Questions about one
person among several were not learnt. Some rows of the built-in tasks are ambiguous on purpose (reviews about 2.6 %, tickets 3 %). The confidence
was not calibrated.
"""


def parameters(config):
    with torch.device("meta"):
        return sum(p.numel() for p in Gemma3(Config(**config)).parameters())


def percent(x):
    return f"{100 * x:.1f}"


def results(scores, other):
    head = ["Task", "Accuracy %", "95 % interval", "n", "AUROC of confidence"]
    head.append(f"{other['name']}'s accuracy %")
    rows = [head, ["---"] * len(head)]
    for task in TASKS:
        r = scores["tasks"][task.name]
        low, high = r["interval"]
        area = "undefined" if r["auroc"] is None else f"{r['auroc']:.3f}"
        row = [task.name, percent(r["accuracy"]), f"{percent(low)} to {percent(high)}", str(r["n"]), area]
        row.append(percent(other["tasks"][task.name]["accuracy"]))
        rows.append(row)
    return "\n".join("| " + " | ".join(r) + " |" for r in rows)


def card(name, training, scores, other, stages):
    c, a = training["hidden"], training["arguments"]
    book = scores["tasks"]["phrasebook"]
    return f"""---
license: other
library_name: transformers
pipeline_tag: text-generation
---
<!-- written by experiments/training/card.py -->

# {name}

A decoder-only transformer of the Gemma 3 text architecture with {parameters(c) / 1e6:.2f} million parameters, embeddings
included, trained from nothing for the quickstart of infnet. Its {"master" if "student" in name else "student"} is
the other folder. It has the shape of Google's models, not their weights.

## Architecture

{c['num_hidden_layers']} layers of width {c['hidden_size']}, {c['num_attention_heads']} query heads and {c['num_key_value_heads']} key-value head{'s' if c['num_key_value_heads'] > 1 else ''} of size {c['head_dim']}, gated tanh-GELU of width {c['intermediate_size']}, a sliding
window of {c['sliding_window']} tokens in every layer but each {c['sliding_window_pattern']}{'rd' if c['sliding_window_pattern'] == 3 else 'nd' if c['sliding_window_pattern'] == 2 else 'th'}, context {c['max_position_embeddings']}, tied head. Weights in bfloat16. The tokenizer is
SentencePiece BPE of {c['vocab_size']:,} pieces with byte fallback, shared by the pair.

{DATA}
## Training

{training['step']:,} steps of about {a['tokens'] * a['accumulate']:,} tokens ({training['tokens'] / 1e6:.1f} million in all), {training['minutes']:.0f} minutes on 2 CPU cores that other work
shared, seed {a['seed']}. Loss on answer tokens only. {optimizer(a, stages)},
warm-up of {a['warmup']} steps, then cosine to zero. Matrix products in bfloat16, the rest in float32.{share_text(a, stages)}
## Scores

On {scores['rows']:,} fresh rows of each built-in task (`study` stream, seed {scores['seed']}) and the first {scores['rows']:,} rows of each real study file.
Intervals are Wilson's. The confidence is the share of the chosen label among the labels, or exp of the mean
log-probability of the generated tokens.

{results(scores, other)}

Of the phrasebook's answers {percent(book['by_token_f1_0.8']['accuracy'])} % reach a token F1 of 0.8 (AUROC {book['by_token_f1_0.8']['auroc']:.3f}); the mean token F1 is {book['token_f1']:.3f}.

{LIMITS}"""


def optimizer(a, stages):
    if stages:
        return "Muon for the matrices, AdamW for embeddings and norms"
    if a["optimizer"] == "adamw":
        return f"AdamW (learning rate {a['lr']})"
    return f"Muon for the matrices (learning rate {a['muon_lr']}), AdamW for embeddings and norms ({a['lr']})"


def mixture(shares):
    total = sum(shares.values())
    return ", ".join(f"{k} {100 * v / total:.0f} %" for k, v in shares.items())


def share_text(a, stages):
    """The shares of the tasks among the examples, or where they changed the file that has them."""
    if not stages:
        return f"\n\nShares of the examples: {mixture(a['shares'] or {t.name: t.share for t in TASKS})}."
    return (f"\n\nThe mixture of tasks changed {len(stages) - 1} times while it trained: see\n"
            "[the stages](../../training/results/tiny-master-stages.json).")


def main(name, folder, training, scores, other, stages=None):
    read = lambda f: json.loads(Path(f).read_text())
    other = {**read(other), "name": "tiny-master" if "student" in name else "tiny-student"}
    Path(folder, "README.md").write_text(card(name, read(training), read(scores), other, read(stages) if stages else []))


if __name__ == "__main__":
    main(*sys.argv[1:])
