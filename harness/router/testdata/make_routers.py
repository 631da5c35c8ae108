"""Writes routers.json: python make_routers.py > routers.json

scikit-learn 1.9.1, SciPy 1.17.1, NumPy 2.4.6. Nearest neighbours, k-means from given centres and the regression of token
quantiles are scikit-learn's; matrix factorisation is minimised by SciPy from other starts. make_authors.py runs
authors' own programs on the same records.
"""
import json

import numpy as np
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsRegressor

r = np.random.default_rng(11)
n, d = 150, 5
x = np.round(r.normal(size=(n + 10, d)), 4)
p = 1 / (1 + np.exp(-np.stack([2 * x[:, 0], 1 + x[:, 1]], 1)))
quality = (r.random((n + 10, 2)) < p).astype(float)[:n]
cost = np.round(np.stack([1 + r.random(n), 5 + 3 * (x[:n, 2] > 0) + r.random(n)], 1), 4)
train, queries = x[:n], x[n:]
unit = train / np.linalg.norm(train, axis=1, keepdims=True)
units = queries / np.linalg.norm(queries, axis=1, keepdims=True)
near = KNeighborsRegressor(n_neighbors=100, metric="cosine").fit(train, quality).predict(queries)
means = KMeans(n_clusters=6, init=unit[:6], n_init=1, tol=0, algorithm="lloyd").fit(unit)

penalty = 2.0  # of the factors' squares, halved; b is free


def loss(v):
    u, w, b = v[: 2 * d].reshape(2, d), v[2 * d : 2 * d + 4].reshape(2, 2), v[2 * d + 4 :]
    z = unit @ u.T @ w.T + b
    return np.sum(np.logaddexp(0, z) - quality * z) + penalty / 2 * np.sum(v[: 2 * d + 4] ** 2)


fits = [minimize(loss, r.normal(size=2 * d + 6), method="BFGS", options={"gtol": 1e-7}) for _ in range(8)]
best = min(fits, key=lambda f: f.fun)
u, w, b = best.x[: 2 * d].reshape(2, d), best.x[2 * d : 2 * d + 4].reshape(2, 2), best.x[2 * d + 4 :]
factored = 1 / (1 + np.exp(-(units @ u.T @ w.T + b)))

tokens = np.round(-r.exponential(size=(80, 22)), 4)
label = (tokens[:, 3] + 0.5 * r.normal(size=80) > -0.7).astype(int)
z = (tokens - tokens.mean(0)) / tokens.std(0)
ones = label.sum()
target = np.where(label == 1, (ones + 1) / (ones + 2), 1 / (len(label) - ones + 2))  # Platt's
both = LogisticRegression(C=1.0, tol=1e-12, max_iter=100000).fit(
    np.concatenate([z, z]), np.repeat([1, 0], 80), sample_weight=np.concatenate([target, 1 - target]))

print(json.dumps({
    "x": train.tolist(), "quality": quality.T.tolist(), "cost": cost.T.tolist(), "queries": queries.tolist(),
    "knn": near.tolist(),
    "kmeans": {"clusters": 6, "labels": means.labels_.tolist(), "inertia": means.inertia_},
    "factors": {"penalty": penalty, "loss": best.fun, "right": factored.tolist()},
    "tokens": tokens.tolist(), "label": label.tolist(), "by_tokens": both.predict_proba(z)[:, 1].tolist()}))
