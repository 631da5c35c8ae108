"""Writes signals.json: scores that uqlm gives to made-up answers, which TestSignalsOfUQLM compares with.

    pip install numpy==2.4.6 scipy && pip install --no-deps uqlm==0.6.7
    python make_signals.py

Only the files that compute them are loaded; the package imports torch otherwise. numpy gives the quantiles.
"""
import importlib.metadata, importlib.util, json, math, os, random, sys, types

import numpy as np

FOUND = importlib.metadata.distribution("uqlm")
for name in ("uqlm", "uqlm.white_box", "uqlm.white_box.baseclass"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = []


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOUND.locate_file(name.replace(".", "/") + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


base = load("uqlm.white_box.baseclass.logprobs_scorer").LogprobsScorer
single = load("uqlm.white_box.single_logprobs").SingleLogprobsScorer
top = load("uqlm.white_box.top_logprobs").TopLogprobsScorer

K, Q = 5, 0.1
rng, answers = random.Random(5), []
for n in (1, 1, 2, 3, 4, 7, 12, 30):
    answer = []
    for _ in range(n):
        weights = sorted((rng.random() ** 4 for _ in range(K + 1)), reverse=True)
        logs = [math.log(w / sum(weights)) for w in weights[:K]]
        answer.append({"logprob": logs[0], "top_logprobs": [{"logprob": x} for x in logs]})
    answers.append(answer)
probability, normalised = single(length_normalize=False), single()
mean = {**probability.evaluate(answers), "token_mean": normalised.evaluate(answers)["sequence_probability"]}
alternatives = top(top_k_logprobs=K).evaluate(answers)
cases = []
for i, answer in enumerate(answers):
    logs = [t["logprob"] for t in answer]
    labels = sorted(math.exp(x["logprob"]) for x in answer[0]["top_logprobs"])
    cases.append({
        "tokens": [[x["logprob"] for x in t["top_logprobs"]] for t in answer],
        "min_probability": float(mean["min_probability"][i]),
        "sequence_probability": float(mean["sequence_probability"][i]),
        "normalised_probability": float(mean["token_mean"][i]),
        "mean_token_negentropy": float(alternatives["mean_token_negentropy"][i]),
        "probability_margin": float(alternatives["probability_margin"][i]),
        "quantile": float(np.quantile(logs, Q)),
        "entropy_of_first": float(base._entropy_from_probs(np.array(labels))),
    })
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "signals.json"), "w") as out:
    json.dump({"tool": "uqlm", "version": FOUND.version, "numpy": np.__version__, "q": Q, "cases": cases}, out)
    out.write("\n")
