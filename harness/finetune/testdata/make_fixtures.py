"""Fine-tunes two tiny encoders with transformers and torch and writes what the Go tests expect.

    python make_fixtures.py                  # testdata/bert, testdata/distilbert
    python make_fixtures.py --folder MINILM  # testdata/minilm.json, for a folder with real weights
    python make_fixtures.py --bench MINILM   # prints training speed, nothing written

Made with transformers 5.23.0, torch 2.15.0 (CPU, float32, one thread).
"""
import argparse, json, os, random, time

import torch
from safetensors.torch import save_file
from transformers import (AutoConfig, AutoModelForSequenceClassification, BertConfig, BertForSequenceClassification,
                          DistilBertConfig, DistilBertForSequenceClassification, get_linear_schedule_with_warmup)

here = os.path.dirname(os.path.abspath(__file__))


def batches(vocab, steps, rows, longest, seed):
    """Texts of random tokens; the label is whether a token of the lower half of the vocabulary comes second."""
    r = random.Random(seed)
    out = []
    for _ in range(steps):
        texts = []
        for _ in range(rows):
            n = r.randint(4, longest)
            second = r.randint(3, n)
            ids = [2] + [r.randrange(5, vocab) for _ in range(n - 2)] + [3]
            texts.append((ids, [0] * second + [1] * (n - second), int(ids[1] < vocab // 2)))
        t = max(len(x[0]) for x in texts)
        t = (t + 7) // 8 * 8
        out.append({
            "tokens": [x[0] + [0] * (t - len(x[0])) for x in texts],
            "kinds": [x[1] + [0] * (t - len(x[1])) for x in texts],
            "used": [len(x[0]) for x in texts],
            "label": [x[2] for x in texts],
        })
    return out


def optimiser(model, lr):
    plain = lambda n: n.endswith("bias") or "norm" in n.lower()
    groups = [{"params": [p for n, p in model.named_parameters() if not plain(n)], "weight_decay": 0.01},
              {"params": [p for n, p in model.named_parameters() if plain(n)], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.999), eps=1e-8, foreach=False, fused=False)


def train(model, bs, lr):
    model.train()
    opt = optimiser(model, lr)
    schedule = get_linear_schedule_with_warmup(opt, 0, len(bs))
    losses, norms = [], {}
    for step, b in enumerate(bs):
        ids = torch.tensor(b["tokens"])
        mask = torch.tensor([[int(i < u) for i in range(ids.shape[1])] for u in b["used"]])
        kw = {} if model.config.model_type == "distilbert" else {"token_type_ids": torch.tensor(b["kinds"])}
        loss = model(input_ids=ids, attention_mask=mask, labels=torch.tensor(b["label"]), **kw).loss
        opt.zero_grad()
        loss.backward()
        if step == 0:
            norms = {n: float(p.grad.double().norm()) for n, p in model.named_parameters()}
        opt.step()
        schedule.step()
        losses.append(float(loss.detach()))
    return losses, norms


def strip(name):
    for p in ("bert.", "distilbert."):
        name = name.removeprefix(p)
    return name


def vocabulary():
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "!", "?"] + list(letters) + ["##" + c for c in letters]
    words += "good bad fine awful the a is was film meal room very not quite and but yes no".split()
    words += [a + b for a in letters for b in letters]
    return words[:400]


def tiny():
    torch.manual_seed(7)
    off = dict(vocab_size=400, max_position_embeddings=48, initializer_range=0.05)
    models = {
        "bert": BertForSequenceClassification(BertConfig(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256,
                                                         hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **off)),
        "distilbert": DistilBertForSequenceClassification(DistilBertConfig(dim=128, n_layers=2, n_heads=4, hidden_dim=256, dropout=0.0,
                                                                           attention_dropout=0.0, seq_classif_dropout=0.0, **off)),
    }
    for name, model in models.items():
        folder = os.path.join(here, name)
        os.makedirs(folder, exist_ok=True)
        for n, p in model.named_parameters():  # biases and norms that do something; all numbers exact in bfloat16
            if p.dim() == 1:
                p.data += 0.05 * torch.randn_like(p)
            p.data = p.data.bfloat16().float()
        # The one with the prefix its class has, the other without.
        state = {n if name == "bert" else strip(n): p.data.bfloat16().contiguous() for n, p in model.named_parameters()}
        save_file(state, os.path.join(folder, "model.safetensors"))
        c = model.config.to_dict()
        keep = ("model_type", "vocab_size", "max_position_embeddings", "type_vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
                "intermediate_size", "layer_norm_eps", "initializer_range", "hidden_dropout_prob", "attention_probs_dropout_prob", "hidden_act",
                "dim", "n_layers", "n_heads", "hidden_dim", "dropout", "attention_dropout", "seq_classif_dropout", "activation")
        with open(os.path.join(folder, "config.json"), "w") as f:
            json.dump({k: c[k] for k in keep if k in c}, f, indent=1, sort_keys=True)
        with open(os.path.join(folder, "vocab.txt"), "w") as f:  # [PAD] [UNK] [CLS] [SEP] [MASK], letters, then words of a game
            f.write("\n".join(vocabulary()) + "\n")
        bs = batches(400, 20, 8, 24, 11)
        losses, norms = train(model, bs, 2e-4)
        write(os.path.join(folder, "expected.json"), 2e-4, bs, losses, norms)


def write(path, lr, bs, losses, norms):
    with open(path, "w") as f:
        json.dump({"learning_rate": lr, "batches": bs, "losses": losses, "gradient_norms": {strip(n): v for n, v in norms.items()}}, f, separators=(",", ":"))
    print(path, losses[0], losses[-1])


def load(folder):
    c = AutoConfig.from_pretrained(folder)
    c.num_labels = 2
    for k in ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout", "seq_classif_dropout"):
        if hasattr(c, k):
            setattr(c, k, 0.0)
    model = AutoModelForSequenceClassification.from_pretrained(folder, config=c)
    model.classifier.weight.data.fill_(0)  # a head both sides know
    for i in range(2):
        for j in range(model.classifier.weight.shape[1]):
            model.classifier.weight.data[i, j] = ((i * 31 + j * 17) % 64 - 32) / 1024
    model.classifier.bias.data.fill_(0)
    return model


def real(folder):
    model = load(folder)
    bs = batches(30000, 6, 8, 24, 13)
    losses, norms = train(model, bs, 2e-5)
    write(os.path.join(here, "minilm.json"), 2e-5, bs, losses, norms)


def bench(folder):
    model = load(folder)
    for threads in (1, 2):
        torch.set_num_threads(threads)
        bs = batches(30000, 4, 32, 40, 17)
        for b in bs:  # every text of 40 tokens
            b["tokens"] = [(x + [7] * 40)[:40] for x in b["tokens"]]
            b["kinds"] = [[0] * 40 for _ in b["tokens"]]
            b["used"] = [40] * 32
        train(model, bs[:1], 2e-5)
        t, c = time.time(), time.process_time()
        train(model, bs, 2e-5)
        print(f"{threads} threads: {4 * 32 / (time.time() - t):.1f} examples of 40 tokens per second, {4 * 32 / (time.process_time() - c):.1f} per processor second")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--folder")
    p.add_argument("--bench")
    a = p.parse_args()
    torch.set_num_threads(1)
    if a.folder:
        real(a.folder)
    elif a.bench:
        bench(a.bench)
    else:
        tiny()
