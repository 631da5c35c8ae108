"""Writes samples.json: exact-match rates of uqlm and discrete semantic entropies of lm-polygraph, which
TestSignalsOfSamples compares with.

    pip install numpy==2.4.6 scipy rich && pip install --no-deps uqlm==0.6.7 lm-polygraph==0.7.0
    python make_samples.py

Only the files that compute them are loaded; the packages import torch otherwise. Meanings are equal texts.
"""
import importlib.metadata, importlib.util, json, os, random, sys, types


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
versions = {p: importlib.metadata.version(p) for p in ("uqlm", "lm-polygraph")}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples.json"), "w") as out:
    json.dump({"versions": versions, "cases": cases}, out)
    out.write("\n")
