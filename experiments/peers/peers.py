# The libraries' side of the comparison: peers.py FOLDER PEER reads its data from FOLDER, says that it is ready, and then
# does the work once for every line of its input. Called by the Go program of this folder, which makes the data.
import importlib, json, os, resource, subprocess, sys, time

folder, peer = sys.argv[1], sys.argv[2]


def numbers(name, columns=1):
    import numpy as np

    a = np.fromfile(os.path.join(folder, name + ".f64"))
    return a if columns == 1 else a.reshape(columns, -1)


def texts():
    with open(os.path.join(folder, "pairs.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def numpy_means():
    import numpy as np

    x = np.ascontiguousarray(numbers("values", 20).T)
    n = len(x)

    def run():
        rng = np.random.default_rng(1)
        share = np.full(n, 1 / n)
        means = np.empty((10_000, x.shape[1]))
        for start in range(0, 10_000, 500):  # all at once would take 800 MB
            means[start : start + 500] = rng.multinomial(n, share, size=500) @ x / n
        low, high = np.percentile(means, [2.5, 97.5], axis=0)
        return float(high[0] - low[0])

    return "numpy", run


def numpy_indices():
    import numpy as np

    x = np.ascontiguousarray(numbers("values", 20).T)
    n = len(x)

    def run():
        rng = np.random.default_rng(1)
        means, counts = np.empty((10_000, x.shape[1])), np.empty((50, n))
        for start in range(0, 10_000, 50):  # a product of 50 rows is faster than 50 products
            for r in range(50):
                counts[r] = np.bincount(rng.integers(0, n, n), minlength=n)
            means[start : start + 50] = counts @ x / n
        low, high = np.percentile(means, [2.5, 97.5], axis=0)
        return float(high[0] - low[0])

    return "numpy", run


def trees():
    x = numbers("columns", int(open(os.path.join(folder, "columns.txt")).read())).T
    return x, numbers("target")


def fitted(make):
    import numpy as np

    x, y = trees()

    def run():
        model = make()
        model.fit(x, y)
        run.value = lambda: float(np.mean((model.predict(x) - y) ** 2))

    return run


def lightgbm():
    import lightgbm

    return "lightgbm", fitted(lambda: lightgbm.LGBMRegressor(n_estimators=100, max_depth=3, learning_rate=0.1, n_jobs=1, num_leaves=8, min_child_samples=1, verbose=-1, force_col_wise=True))


def sklearn_hist():
    from sklearn.ensemble import HistGradientBoostingRegressor as Trees

    return "scikit-learn", fitted(lambda: Trees(max_iter=100, max_depth=3, learning_rate=0.1, early_stopping=False, min_samples_leaf=1))


def xgboost_hist():
    import xgboost

    return "xgboost", fitted(lambda: xgboost.XGBRegressor(tree_method="hist", n_jobs=1, n_estimators=100, max_depth=3, learning_rate=0.1))


def numpy_svd():
    import numpy as np

    x = np.ascontiguousarray(numbers("vectors", 768).T)

    def run():  # the leading directions from the Gram matrix, as ours
        _, v = np.linalg.eigh(x.T @ x)
        return float(np.sum((x @ v[:, -100:]) ** 2) / np.sum(x**2))

    return "numpy", run


def sklearn_svd():
    from sklearn.decomposition import TruncatedSVD
    import numpy as np

    x = np.ascontiguousarray(numbers("vectors", 768).T)

    def run():
        t = TruncatedSVD(n_components=100, random_state=1)  # randomised: not exact
        return float(np.sum(t.fit_transform(x) ** 2) / np.sum(x**2))

    return "scikit-learn", run


def sklearn_isotonic():
    from sklearn.isotonic import IsotonicRegression

    x, y = numbers("x"), numbers("y")

    def run():
        return float(IsotonicRegression(out_of_bounds="clip").fit(x, y).predict([0.5])[0])

    return "scikit-learn", run


def rouge():
    from rouge_score import rouge_scorer

    pairs = texts()
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=True)
    return "rouge-score", lambda: sum(scorer.score(b, a)["rougeL"].fmeasure for a, b in pairs) / len(pairs)


def sacrebleu_metric(name):
    from sacrebleu.metrics import BLEU, CHRF

    pairs = texts()
    answers, references = [a for a, _ in pairs], [[b for _, b in pairs]]
    make = BLEU if name == "BLEU" else CHRF
    return "sacrebleu", lambda: make().corpus_score(answers, references).score


def numpy_fit():
    # The least a program in numpy must do: read the columns, split, sort by confidence, and take the best threshold.
    program = """
import numpy as np, sys
a = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=(2, 3, 4))
rng = np.random.default_rng(1)
fit = a[rng.random(len(a)) < 0.5]
fit = fit[np.argsort(fit[:, 0])]
errors = np.concatenate([[0], np.cumsum(1 - fit[:, 2])]) + np.concatenate([np.cumsum((1 - fit[:, 1])[::-1])[::-1], [0]])
best = np.flatnonzero(errors <= (1 - fit[:, 2]).sum())[0]
print(fit[min(best, len(fit) - 1), 0])
"""

    def run():
        out = subprocess.run([sys.executable, "-c", program, os.path.join(folder, "log.csv")], check=True, capture_output=True)
        return float(out.stdout)

    return "numpy", run


def decode(dtype):
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    m = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype)).eval()
    start = torch.tensor([[5]])

    def run():
        said = m.generate(start, max_new_tokens=32, do_sample=False, eos_token_id=None, pad_token_id=0)
        return float(said.shape[1] - 1)

    return "torch", run


def training():
    import torch
    from transformers import AutoModelForSequenceClassification

    torch.set_num_threads(1)
    m = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=2).train()
    plain = lambda n: n.endswith("bias") or "norm" in n.lower()
    named = list(m.named_parameters())
    groups = [{"params": [p for n, p in named if not plain(n)], "weight_decay": 0.01}, {"params": [p for n, p in named if plain(n)], "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=2e-5)
    tokens = (torch.arange(32 * 40) * 7 % m.config.vocab_size).reshape(32, 40)
    labels = torch.arange(32) % 2

    def run():
        for _ in range(4):
            loss = m(input_ids=tokens, attention_mask=torch.ones_like(tokens), labels=labels).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        return loss.item()

    run()
    return "torch", run


peers = {
    "PyTorch bfloat16": lambda: decode("bfloat16"),
    "PyTorch float32": lambda: decode("float32"),
    "PyTorch training": training,
    "numpy, multinomial": numpy_means,
    "numpy, bincount": numpy_indices,
    "LightGBM": lightgbm,
    "scikit-learn hist": sklearn_hist,
    "XGBoost hist": xgboost_hist,
    "numpy eigh": numpy_svd,
    "scikit-learn TruncatedSVD": sklearn_svd,
    "scikit-learn isotonic": sklearn_isotonic,
    "rouge-score": rouge,
    "sacrebleu BLEU": lambda: sacrebleu_metric("BLEU"),
    "sacrebleu chrF": lambda: sacrebleu_metric("chrF"),
    "numpy script": numpy_fit,
}


def usage():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = own.ru_maxrss
    if os.path.exists("/proc/self/status"):  # the kernel's own count of a process begins with its parent's size
        peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime, max(peak, children.ru_maxrss) / 1024


def say(**what):
    print(json.dumps(what), flush=True)


try:
    package, run = peers[peer]()
    from importlib.metadata import version

    say(version=f"{peer} ({package} {version(package)})")
except ImportError as e:
    say(missing=str(e))
    sys.exit()
for _ in sys.stdin:
    cpu, wall = usage()[0], time.perf_counter()
    try:
        value = run()
        after, peak = usage()
        wall = time.perf_counter() - wall
        if hasattr(run, "value"):
            value = run.value()
        say(cpu=after - cpu, wall=wall, peak=peak, value=value)
    except Exception as e:
        say(error=f"{type(e).__name__}: {e}")
