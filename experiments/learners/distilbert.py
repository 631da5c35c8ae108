#!/usr/bin/env python3
"""A learner for learner = "command": fine-tunes DistilBERT (or BERT) to tell which answers are right, as the paper's
FrugalGPT and HybridLLM do: at most 20 epochs in batches of 32, AdamW at 2e-5, stopped after 3 epochs without a smaller
loss on the records held out (infnet holds out 15 %), the best kept. harness/program/PROTOCOL.md describes the lines.

    pip install torch transformers
    command = ["python3", "../learners/distilbert.py", "--model", "distilbert/distilbert-base-uncased"]

The same records, seed, device and versions give the same scores; other devices and versions may differ in last digits.
"""
import argparse
import json
import math
import os
import sys

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # before torch: repeatable sums on GPUs

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

LONGEST = 512  # tokens; the longer of two texts is cut first


def flops(config, tokens):
    """Matrix products of one text, 2 per multiply-add: per layer 4 projections, two feed-forward products, attention."""
    width = getattr(config, "dim", None) or config.hidden_size
    inner = getattr(config, "hidden_dim", None) or config.intermediate_size
    layers = getattr(config, "n_layers", None) or config.num_hidden_layers
    return layers * (2 * (4 * width**2 + 2 * width * inner) * tokens + 4 * tokens**2 * width) + 2 * width**2 + 4 * width


class Network:
    def __init__(self, args, pairs):
        self.args, self.pairs = args, pairs
        self.device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.tokenizer = AutoTokenizer.from_pretrained(args.model)
        self.model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=2).to(self.device)

    def encode(self, records):
        texts = [r["text"] for r in records]
        answers = [r["answer"] for r in records] if self.pairs else None
        return self.tokenizer(texts, answers, truncation=True, max_length=LONGEST, padding=True, return_tensors="pt").to(
            self.device)

    def odds(self, records):
        """Log-odds of label 1, and the number of tokens of each record."""
        self.model.eval()
        odds, tokens = [], []
        with torch.no_grad():
            for at in range(0, len(records), self.args.batch):
                batch = self.encode(records[at:at + self.args.batch])
                logits = self.model(**batch).logits.double()
                odds += (logits[:, 1] - logits[:, 0]).tolist()
                tokens += batch["attention_mask"].sum(1).tolist()
        return odds, tokens

    def loss(self, records):
        odds, _ = self.odds(records)
        return sum(math.log1p(math.exp(-abs(z))) + max(0.0, -z if r["label"] else z)
                   for z, r in zip(odds, records)) / len(records)

    def train(self, train, held, seed):
        args = self.args
        epochs = args.epochs if held else min(args.epochs, 3)
        steps = epochs * math.ceil(len(train) / args.batch)
        optimiser = torch.optim.AdamW(self.model.parameters(), lr=args.rate, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.0, 1 - step / steps))
        order = torch.Generator().manual_seed(seed)
        best, kept, since = math.inf, None, 0
        for epoch in range(epochs):
            self.model.train()
            drawn = torch.randperm(len(train), generator=order).tolist()
            for at in range(0, len(drawn), args.batch):
                some = [train[i] for i in drawn[at:at + args.batch]]
                labels = torch.tensor([r["label"] for r in some], device=self.device)
                optimiser.zero_grad()
                self.model(**self.encode(some), labels=labels).loss.backward()
                optimiser.step()
                schedule.step()
            if not held:
                continue
            now = self.loss(held)
            print(f"epoch {epoch + 1}: loss {now:.4f} on {len(held)} records held out", file=sys.stderr, flush=True)
            if now < best:
                best, since = now, 0
                kept = {name: v.detach().cpu().clone() for name, v in self.model.state_dict().items()}
            else:
                since += 1
                if since >= args.patience:
                    break
        if held and kept is None:
            sys.exit("the loss on the records held out was never a number: training diverged")
        if kept is not None:
            self.model.load_state_dict(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="distilbert/distilbert-base-uncased", help="a name on the hub, or a folder")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--patience", type=int, default=3)
    parser.add_argument("--rate", type=float, default=2e-5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--device", help="cpu, cuda, …; the default is a GPU where there is one")
    args = parser.parse_args()
    head = json.loads(sys.stdin.readline())
    if head["version"] != 1:
        sys.exit(f"lines of version {head['version']}, and this script reads version 1")
    records = [json.loads(line) for line in sys.stdin]
    if len(records) != head["records"]:
        sys.exit(f"{len(records)} records of {head['records']}")
    torch.manual_seed(head["seed"])
    torch.use_deterministic_algorithms(True, warn_only=True)
    network = Network(args, head["pairs"])
    of = {part: [r for r in records if r["part"] == part] for part in ("train", "held", "score")}
    network.train(of["train"], of["held"], head["seed"])
    asked = of["held"] + of["score"]
    odds, tokens = network.odds(asked)
    for r, z, n in zip(asked, odds, tokens):
        score = 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
        print(json.dumps({"id": r["id"], "score": score, "flops": flops(network.model.config, n)}))


if __name__ == "__main__":
    main()
