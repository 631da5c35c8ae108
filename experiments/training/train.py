"""Trains one model of the pair.

usage: train.py NAME --out FOLDER --tokenizer FILE [--steps N | --minutes M] …

Loss on answer tokens only; AdamW, or Muon for the matrices and AdamW for the
rest; warm-up, then cosine to zero over the steps, or over the minutes where
those run out first. Matrix products in bfloat16, everything else in float32.
A checkpoint every few minutes; run again to resume.

One thread a process, because two threads measured slower than one. `torchrun --nproc-per-node 2 train.py …` shares the
batches of each step between two processes and adds their gradients.
"""

import argparse
import itertools
import json
import math
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import packed
from model import SIZES, Config, Gemma3, bf16, save
from tasks import TASKS, builtin_rows, real_rows


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument("name", choices=sorted(SIZES))
    a.add_argument("--out", required=True)
    a.add_argument("--tokenizer", required=True)
    a.add_argument("--steps", type=int, default=10**9)
    a.add_argument("--minutes", type=float, default=1e9)
    a.add_argument("--tokens", type=int, default=2048, help="of one batch")
    a.add_argument("--accumulate", type=int, default=2, help="batches to a step")
    a.add_argument("--optimizer", choices=["adamw", "muon"], default="adamw")
    a.add_argument("--lr", type=float, default=2e-3)
    a.add_argument("--muon-lr", type=float, default=0.02)
    a.add_argument("--sharp-lr", type=float, help="of the query and key norms, where other than --lr: they set how sharp attention can be")
    a.add_argument("--sharp", type=float, default=1.0, help="1+w of the query and key norms at the start")
    a.add_argument("--warmup", type=int, default=200)
    a.add_argument("--decay", type=float, default=0.05)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--every", type=float, default=3, help="minutes between checkpoints")
    a.add_argument("--shares", type=json.loads, help="of the tasks, where other than in tasks.py, as JSON")
    a.add_argument("--short", type=float, default=0.0, help="share of lookup's rows with a short passage")
    a.add_argument("--no-compile", action="store_true")
    a.add_argument("--size", type=json.loads, help="other fields of the configuration, as JSON")
    return a.parse_args()


def optimizers(model, a):
    matrices = [p for n, p in model.named_parameters() if p.dim() == 2 and "embed" not in n]
    sharp = [p for n, p in model.named_parameters() if "q_norm" in n or "k_norm" in n]
    rest = [p for n, p in model.named_parameters() if (p.dim() != 2 or "embed" in n) and "q_norm" not in n and "k_norm" not in n]
    rest = [{"params": rest, "weight_decay": 0}, {"params": sharp, "weight_decay": 0, "lr": a.sharp_lr or a.lr}]
    if a.optimizer == "muon":
        muon = torch.optim.Muon(matrices, lr=a.muon_lr, weight_decay=a.decay, momentum=0.95)
        return [muon, torch.optim.AdamW(rest, lr=a.lr, betas=(0.9, 0.98), fused=True)]
    return [torch.optim.AdamW([{"params": matrices, "weight_decay": a.decay}, *rest], lr=a.lr, betas=(0.9, 0.98), fused=True)]


def held_out(sp):
    """Rows for the log: built-in study rows of a seed no study uses, real rows left out of training."""
    sets = {}
    for task in TASKS:
        rows = builtin_rows(task.name, "study", 500, 900_001) if task.builtin else real_rows(task.name, "train")[-packed.HELD_OUT :]
        labels = [sp.encode(" " + l)[0] for l in task.labels]
        pairs = [(np.array(p + e[:-1]), np.arange(len(e)) + len(p) - 1, np.array(e), 1.0) for p, e in packed.encode(sp, task, rows)]
        batches = []
        for n in packed.LENGTHS:
            low = max([m for m in packed.LENGTHS if m < n], default=0)
            part = [r for r in pairs if low < len(r[0]) <= n]
            if part:
                batches.append((packed.collate(part, n), [len(r[2]) for r in part]))
        sets[task.name] = (labels, batches)
    return sets


@torch.no_grad()
def score(model, sets):
    """Share of rows answered right, and mean loss per row; a generated answer must match whole."""
    out = {}
    for name, (labels, batches) in sets.items():
        right = total = 0
        loss = 0.0
        for (x, at, y, _), sizes in batches:
            logits = model(torch.from_numpy(x), torch.from_numpy(at))
            loss += F.cross_entropy(logits, torch.from_numpy(y), reduction="sum").item()
            if labels:
                hit = torch.tensor(labels)[logits[:, labels].argmax(1)] == torch.from_numpy(y)
            else:
                hit = logits.argmax(1) == torch.from_numpy(y)
            for part in torch.split(hit, sizes):
                right += bool(part.all())
                total += 1
        out[name] = (round(100 * right / total, 1), round(loss / total, 3))
    return out


def main():
    a = arguments()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(a.seed)
    torch._dynamo.config.recompile_limit = 64
    out = Path(a.out)
    out.mkdir(parents=True, exist_ok=True)
    sp = packed.processor(a.tokenizer)
    sets = held_out(sp)
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if world > 1:
        torch.distributed.init_process_group("gloo")
    config = SIZES[a.name]
    if a.size:
        config = Config(**{**vars(config), **a.size})
    model = Gemma3(config, bf16)
    for n, p in model.named_parameters():
        if "q_norm" in n or "k_norm" in n:
            torch.nn.init.constant_(p, a.sharp - 1)
    plain = model.hidden
    if not a.no_compile:
        model.hidden = torch.compile(model.hidden, dynamic=False)
    opts = optimizers(model, a)
    base = [[g["lr"] for g in o.param_groups] for o in opts]
    state = out / "state.pt"
    step, spent, seen = 0, 0.0, 0
    if state.exists():
        s = torch.load(state, weights_only=False)
        model.load_state_dict(s["model"])
        for o, d in zip(opts, s["opts"]):
            if d is not None:
                o.load_state_dict(d)
        step, spent, seen = s["step"], s["spent"], s["seen"]
    log = open(out / "log.jsonl", "a")
    print(a.name, sum(p.numel() for p in model.parameters()), "parameters, from step", step, flush=True)

    def checkpoint(fraction):
        model.hidden, compiled = plain, model.hidden
        scores = score(model, sets)
        model.hidden = compiled
        torch.save({"model": model.state_dict(), "opts": [o.state_dict() for o in opts], "step": step, "spent": spent, "seen": seen}, str(state) + ".part")
        os.replace(str(state) + ".part", state)
        save(model, out / "folder", a.tokenizer)
        line = {"step": step, "minutes": round(spent / 60, 2), "fraction": round(fraction, 3), "tokens": seen, "loss": round(float(np.mean(recent)), 4) if recent else None, "scores": scores}
        log.write(json.dumps(line) + "\n")
        log.flush()
        print(json.dumps(line), flush=True)
        (out / "training.json").write_text(json.dumps({**line, "arguments": {k: v for k, v in vars(a).items() if k not in ("out", "tokenizer")}, "hidden": vars(config)}, indent=1) + "\n")

    batches = packed.Batches(sp, a.tokens, a.seed, a.shares, a.short).seek(step * a.accumulate)
    recent, last = [], spent
    mark = time.monotonic()
    fraction = max(step / a.steps, spent / 60 / a.minutes)
    while fraction < 1:
        rate = min(1, (step + 1) / a.warmup) * 0.5 * (1 + math.cos(math.pi * fraction))
        for o, rates in zip(opts, base):
            for g, lr in zip(o.param_groups, rates):
                g["lr"] = lr * rate
        sums = torch.zeros(4)  # weight, loss, tokens, fraction of the schedule that rank 0 sees
        sums[3] = max((step + 1) / a.steps, spent / 60 / a.minutes) if rank == 0 else 0
        for x, at, y, w in list(itertools.islice(batches, a.accumulate))[rank::world]:
            logits = model(torch.from_numpy(x), torch.from_numpy(at))
            loss = (F.cross_entropy(logits, torch.from_numpy(y), reduction="none") * torch.from_numpy(w)).sum()
            loss.backward()
            sums[:3] += torch.tensor([float(w.sum()), loss.item(), x.size])
        grads = [p.grad for p in model.parameters()]
        if world > 1:
            flat = torch.cat([g.flatten() for g in grads] + [sums])
            torch.distributed.all_reduce(flat)
            parts = flat.split([g.numel() for g in grads] + [4])
            for g, f in zip(grads, parts):
                g.copy_(f.view_as(g))
            sums = parts[-1]
        for g in grads:
            g.div_(sums[0])
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for o in opts:
            o.step()
            o.zero_grad()
        total, seen = float(sums[1] / sums[0]), seen + int(sums[2])
        step += 1
        recent = recent[-199:] + [total]
        now = time.monotonic()
        spent, mark = spent + now - mark, now
        fraction = float(sums[3])
        if rank == 0 and spent - last >= 60 * a.every:
            last = spent
            checkpoint(fraction)
    if rank == 0:
        checkpoint(1.0)


if __name__ == "__main__":
    main()
