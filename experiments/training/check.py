"""Compares this program's forward pass with another implementation's.

usage: check.py FOLDER < lines   (lines as printed by a reference: JSON with
ids and top, the [id, log-probability] pairs of the last position)

Prints the largest difference of a log-probability and fails above 1e-4.
"""

import json
import sys

import torch

from model import load


def main(folder):
    model = load(folder)
    worst, longest = 0.0, 0
    with torch.no_grad():
        for line in sys.stdin:
            row = json.loads(line)
            ids = torch.tensor([row["ids"]])
            lp = model(ids)[0, -1].log_softmax(0)
            worst = max([worst] + [abs(lp[i].item() - v) for i, v in row["top"]])
            longest = max(longest, len(row["ids"]))
    print(f"{folder}: largest difference {worst:.2e} (prompts of up to {longest} tokens)")
    return worst > 1e-4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
