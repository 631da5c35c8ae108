"""Writes authors.json: python make_authors.py CARROT AVENGERSPRO EMBEDLLM < routers.json > authors.json

The three are clones of github.com/somerstep/CARROT (2d47d1f; carrot/train_and_infer.py), of
github.com/ZhangYiqun018/AvengersPro (dfb60b1; balance_cluster_router.py and its parent) and of
github.com/richardzhuang0412/EmbedLLM (9b27630; algorithm/mf.py). Their own functions learn from the embeddings,
qualities and costs of routers.json and estimate its queries; what they would fetch (embeddings, tokenizers) is put in
their place. NumPy 2.4.6, scikit-learn 1.9.1, torch 2.15.0.
"""
import contextlib
import json
import sys
import tempfile
from unittest.mock import MagicMock

import numpy as np
import torch

CARROT, AVENGERS, EMBEDLLM = sys.argv[1:4]
for name in ["datasets", "transformers", "tiktoken", "embedding_cache"]:
    sys.modules[name] = MagicMock()  # imported by their modules, not used by what is called here
sys.path[:0] = [CARROT + "/carrot", AVENGERS, EMBEDLLM + "/algorithm"]
import balance_cluster_router as avengers  # noqa: E402
import mf as embedllm  # noqa: E402
import train_and_infer as carrot  # noqa: E402

table = json.load(sys.stdin)
x, queries = np.array(table["x"]), np.array(table["queries"])
quality, cost = np.array(table["quality"]).T, np.array(table["cost"]).T


def by_neighbours():
    mean, sd = cost.mean(0, keepdims=True), cost.std(0, keepdims=True)  # costs as in their branch "routerbench"
    q = carrot.train_knn(x, quality, task="regression")
    c = carrot.train_knn(x, (cost - mean) / sd, task="regression")
    return {"tuned": [q.n_neighbors, c.n_neighbors], "quality": q.predict(queries).tolist(),
            "cost": (mean + sd * c.predict(queries)).tolist()}


def by_clusters():
    all_of = np.concatenate([x, queries])
    with tempfile.NamedTemporaryFile() as empty:
        router = avengers.BalanceClusterRouter(avengers.SimpleClusterConfig(data_path=empty.name, max_workers=1))
    router.embedder.get = lambda text: all_of[int(text)]
    router._truncate_text = lambda text: text
    router.available_models = ["student", "master"]
    router.build_cluster_model([
        {"query": str(i), "records": dict(zip(router.available_models, quality[i].tolist())),
         "usages": {m: {"cost": c} for m, c in zip(router.available_models, cost[i].tolist())}} for i in range(len(x))])
    metrics = [router.cluster_cost_metrics[k] for k in range(router.config.n_clusters)]
    return {"clusters": router.config.n_clusters, "starts": router.kmeans_model.n_init,
            "labels": router.kmeans_model.labels_.tolist(), "inertia": router.kmeans_model.inertia_,
            "quality": [[m[a].accuracy for a in router.available_models] for m in metrics],
            "cost": [[m[a].avg_cost for a in router.available_models] for m in metrics],
            "chosen": [c[0] for c in router.route_queries_batch([str(len(x) + i) for i in range(len(queries))])]}


def by_factors():  # without noise and decay, and to the end
    unit = np.concatenate([x, queries])
    unit = torch.tensor(unit / np.linalg.norm(unit, axis=1, keepdims=True), dtype=torch.float32)
    net = embedllm.TextMF(unit, 232, 0, num_models=2, num_prompts=len(unit), text_dim=unit.shape[1])
    n = len(x)
    rows = [(torch.arange(2).repeat(n), torch.arange(n).repeat_interleave(2), torch.tensor(quality.flatten()).long())]
    embedllm.train(net, rows, rows, 3000, 1e-2, "cpu", weight_decay=0)
    with torch.no_grad():
        logits = net(torch.arange(2).repeat(len(queries)), n + torch.arange(len(queries)).repeat_interleave(2), True)
    return torch.softmax(logits.double(), 1)[:, 1].reshape(-1, 2).tolist()


with contextlib.redirect_stdout(sys.stderr):
    out = {"carrot": by_neighbours(), "avengers_pro": by_clusters(), "embedllm": by_factors()}
print(json.dumps(out))
