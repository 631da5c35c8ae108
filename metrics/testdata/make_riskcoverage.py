"""Writes riskcoverage.json: areas that lm-polygraph computes, which TestAURCOfLMPolygraph compares with.

    pip install numpy==2.4.6 && pip install --no-deps lm-polygraph==0.7.0
    python make_riskcoverage.py

Only the two files that compute them are loaded; the package imports torch otherwise.
"""
import importlib.metadata, importlib.util, json, os, random, sys, types

FOUND = importlib.metadata.distribution("lm-polygraph")
PACKAGE = "lm_polygraph.ue_metrics"
for name in ("lm_polygraph", PACKAGE):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = []


def load(name):
    path = FOUND.locate_file(f"lm_polygraph/ue_metrics/{name}.py")
    spec = importlib.util.spec_from_file_location(f"{PACKAGE}.{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


load("ue_metric")
area = load("pred_rej_area").PredictionRejectionArea()
rng, cases = random.Random(3), []
for n in (2, 3, 5, 8, 13, 21, 40, 80, 150, 300, 300, 300):
    scores = [rng.random() for _ in range(n)]
    hits = [rng.random() < 0.2 + 0.7 * s for s in scores]
    if len(set(hits)) < 2:
        hits[0] = not hits[0]
    quality = [float(h) for h in hits]
    cases.append({"scores": scores, "hits": hits,
                  "rejection_area": float(area([-s for s in scores], quality)),
                  "rejection_area_of_oracle": float(area([-q for q in quality], quality))})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "riskcoverage.json"), "w") as out:
    json.dump({"tool": "lm-polygraph", "version": FOUND.version, "cases": cases}, out)
    out.write("\n")
