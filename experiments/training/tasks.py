"""The seven tasks the pair is trained on: prompts, labels, rows."""

import gzip
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Task:
    name: str
    prompt: str
    labels: tuple = ()  # in class order; empty for a generation task
    builtin: bool = True
    share: float = 1.0  # of the training examples
    weight: float = 1.0  # of one answer token in the loss

    def fill(self, fields):
        text = self.prompt
        for name, value in fields.items():
            text = text.replace("{" + name + "}", value)
        return text


TASKS = [
    Task("reviews", "Review: {text}\nSentiment:", ("negative", "positive"), share=0.16),
    Task("tickets", "Ticket: {text}\nQueue:", ("billing", "delivery", "account", "technical", "refund"), share=0.15),
    Task("lookup", "Passage: {context}\nQuestion: {question}\nAnswer:", share=0.28, weight=0.7),
    Task("phrasebook", "English: {source}\nGerman:", share=0.22, weight=0.3),
    Task("sst2", "Review: {text}\nSentiment:", ("negative", "positive"), builtin=False, share=0.09),
    Task("agnews", "News: {text}\nTopic:", ("World", "Sports", "Business", "Science"), builtin=False, share=0.05),
    Task("emotion", "Message: {text}\nEmotion:", ("sadness", "joy", "love", "anger", "fear", "surprise"), builtin=False, share=0.05),
]


def builtin_rows(name, stream, n, seed, folder=None):
    """Rows of a built-in stream, from the program itself, kept in a folder."""
    folder = Path(folder or os.environ.get("INFNET_BUILTIN", REPO / "experiments/training/work"))
    file = folder / f"{name}-{stream}-{seed}-{n}.jsonl"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["go", "run", ".", "data", f"builtin:{name}", "--stream", stream, "-n", str(n), "--seed", str(seed)]
        with open(str(file) + ".part", "w") as out:
            subprocess.run(command, cwd=REPO, stdout=out, check=True)
        os.replace(str(file) + ".part", file)
    with open(file) as lines:
        return [json.loads(line) for line in lines]


def real_rows(name, split):
    """Rows of a real file named through INFNET_DATA: split train or study."""
    root = Path(os.environ["INFNET_DATA"])
    path = root / "train" / f"{name}_train.jsonl.gz" if split == "train" else root / f"{name}.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        return [{"fields": {"text": r["text"]}, "class": r["label"]} for r in map(json.loads, lines)]


def examples(task, rows):
    """(prompt, answer) pairs; the answer begins with its space."""
    for r in rows:
        answer = task.labels[r["class"]] if task.labels else r["references"][0]
        yield task.fill(r["fields"]), " " + answer
