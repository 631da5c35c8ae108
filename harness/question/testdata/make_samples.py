"""Writes samples.json: exact-match rates of uqlm and discrete semantic entropies of lm-polygraph, which
TestSignalsOfSamples compares with, and lm-polygraph's classes of samples by the cosine of given embeddings, which
TestSignalsByEmbeddings compares with.

    pip install numpy==2.4.6 scipy rich && pip install --no-deps uqlm==0.6.7 lm-polygraph==0.7.0
    python make_samples.py

Only the files that compute them are loaded; the packages import torch otherwise. Meanings are equal texts, or those
that lm-polygraph's clustering finds where "entails" is "has at least this cosine": neither package has that relation.
"""
import importlib.metadata, importlib.util, json, os, random, sys, types
import numpy as np


def load(package, name):
    at = name.split(".")
    for k in range(1, len(at)):
        if ".".join(at[:k]) not in sys.modules:
            sys.modules[".".join(at[:k])] = types.ModuleType(".".join(at[:k]))
            sys.modules[".".join(at[:k])].__path__ = []
    path = importlib.metadata.distribution(package).locate_file(name.replace(".", "/") + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


load("uqlm", "uqlm.black_box.baseclass.similarity_scorer")
match = load("uqlm", "uqlm.black_box.match").MatchScorer
common = types.ModuleType("lm_polygraph.utils.common")  # a decorator of constructors is all that is needed of it
common.polygraph_module_init = lambda f: f
sys.modules["lm_polygraph.utils"], sys.modules[common.__name__] = types.ModuleType("lm_polygraph.utils"), common
load("lm-polygraph", "lm_polygraph.estimators.estimator")
entropy = load("lm-polygraph", "lm_polygraph.estimators.semantic_entropy").SemanticEntropy(
    class_probability_estimation="frequency")
rng, cases = random.Random(11), []
for n in (2, 3, 5, 5, 8, 10, 10, 20):
    words = ["red", "green", "blue", "grey"][: rng.randint(1, 4)]
    samples = [rng.choice(words) for _ in range(n)]
    answer = rng.choice(words)
    classes = sorted(set(samples))
    members = [[k for k, s in enumerate(samples) if s == c] for c in classes]
    found = entropy({"sample_texts": [samples], "semantic_classes_entail": {
        "class_to_sample": [members], "sample_to_class": [[classes.index(s) for s in samples]]}})
    cases.append({"answer": answer, "samples": samples, "exact_match": float(match._compute_score(answer, samples)),
                  "semantic_entropy": float(found[0])})
models = types.ModuleType("lm_polygraph.utils.model")
models.Model = models.WhiteboxModel = object  # named in signatures alone
sys.modules[models.__name__] = models
load("lm-polygraph", "lm_polygraph.stat_calculators.stat_calculator")
clusters = load("lm-polygraph", "lm_polygraph.stat_calculators.semantic_classes").SemanticClassesCalculator()


def classes(vectors, least):
    """lm-polygraph's classes, and whether the relation is no equivalence here."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    assert np.abs(cosine - least).min() > 1e-6  # rounding decides nothing
    same = cosine >= least
    found = clusters({"sample_texts": [["x"] * len(vectors)], "semantic_matrix_classes": same[None].astype(int),
                      "entailment_id": 1}, None, None)["semantic_classes_entail"]
    return found, bool((same.astype(int) @ same > 0).sum() > same.sum())


rng, close, open_ = np.random.default_rng(12), [], 0
for n, least in ((2, .9), (3, .8), (5, .7), (5, .9), (8, .6), (10, .8), (10, .5), (20, .7), (20, .85)):
    centres = rng.normal(size=(3, 4))
    vectors = (centres[rng.integers(3, size=n + 1)] + .5 * rng.normal(size=(n + 1, 4))).astype(np.float32)
    whole, _ = classes(vectors.astype(float), least)  # the answer is the first
    found, intransitive = classes(vectors[1:].astype(float), least)
    open_ += intransitive
    close.append({"cosine": least, "vectors": vectors.tolist(),
                  "vote_share": (len(whole["class_to_sample"][0][0]) - 1) / n,
                  "semantic_entropy": float(entropy({"sample_texts": [["x"] * n],
                                                     "semantic_classes_entail": found})[0])})
assert open_ >= 4  # in so many the order of samples counts
versions = {p: importlib.metadata.version(p) for p in ("uqlm", "lm-polygraph")}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples.json"), "w") as out:
    json.dump({"versions": versions, "cases": cases, "close": close}, out)
    out.write("\n")
