# Reference trees and predictions of scikit-learn's GradientBoostingRegressor and GradientBoostingClassifier.
# usage: make_fixtures.py OUT.json.gz SEED   (fails where scikit-learn's own predictions depend on random_state: take the next seed)
import gzip, json, sys
import numpy as np, sklearn
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

out, seed = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(seed)
cases = []


def case(name, X, y, train, Model=GradientBoostingRegressor, **kw):
    X = X.astype(np.float32).astype(np.float64)
    m = Model(random_state=0, **kw).fit(X[:train], y[:train])
    raw = lambda m: m.decision_function(X) if Model is GradientBoostingClassifier else m.predict(X)
    for s in range(1, 10):
        again = Model(random_state=s, **kw).fit(X[:train], y[:train])
        assert np.allclose(raw(again), raw(m), rtol=0, atol=1e-12 * max(1, np.abs(y).max())), (name, s)
        for a, b in zip(again.estimators_[:, 0], m.estimators_[:, 0]):
            assert np.array_equal(a.tree_.feature, b.tree_.feature) and np.array_equal(a.tree_.threshold, b.tree_.threshold), (name, s)
    p = m.get_params()
    trees = []
    for e in m.estimators_[:, 0]:
        t = e.tree_
        trees.append(dict(feature=t.feature.tolist(), threshold=t.threshold.tolist(), left=t.children_left.tolist(), right=t.children_right.tolist(), value=t.value.ravel().tolist(), records=t.n_node_samples.tolist()))
    cases.append(dict(name=name, loss="logistic" if Model is GradientBoostingClassifier else "squared", train=train,
        params=dict(trees=p["n_estimators"], depth=p["max_depth"], learning_rate=p["learning_rate"], min_leaf=p["min_samples_leaf"], min_split=p["min_samples_split"]),
        x=X.T.tolist(), y=y.tolist(), trees=trees, raw=raw(m).tolist(), importances=m.feature_importances_.tolist()))


n = 260
b = rng.random(n)
J = rng.normal(size=(n, 5))
X = np.column_stack([b, J])
delta = np.clip(np.round(0.8 * (J[:, 0] > 0.3) - 0.4 * (J[:, 1] > 0.9) - b + 0.3 * rng.normal(size=n)), -1, 1)
case("three values", X, delta, 200, min_samples_leaf=12, n_estimators=40)
case("deep", X, np.sin(6 * b) + 0.3 * J[:, 2] * J[:, 3] + 0.1 * rng.normal(size=n), 220, max_depth=4, n_estimators=12, min_samples_leaf=14)
case("stumps", X[:, :2], 2 * b + J[:, 0] + rng.normal(size=n), 200, max_depth=1, n_estimators=60, learning_rate=0.5)
case("min split", X[:, :4], b * J[:, 1] + rng.normal(size=n), 200, min_samples_split=50, min_samples_leaf=12, n_estimators=25)
tied = np.column_stack([np.round(b * 9) / 9, np.round(J[:, :3] * 2) / 2, J[:, 3]])
case("tied values", tied, np.cos(4 * b) + J[:, 3] + 0.2 * rng.normal(size=n), 200, min_samples_leaf=9, n_estimators=25)
near = np.column_stack([b, np.round(J[:, 0] * 4) / 4 + 4e-8 * rng.integers(0, 4, n)])
case("values nearly equal", near, J[:, 0] + b + 0.2 * rng.normal(size=n), 200, min_samples_leaf=8, n_estimators=25)
case("large values", X[:, :3] * 1e6, 1e5 * J[:, 0] + 3e4 * rng.normal(size=n), 200, n_estimators=15, min_samples_leaf=10)
case("two classes", X, (J[:, 0] + 2 * b + rng.normal(size=n) > 1).astype(float), 200, GradientBoostingClassifier, min_samples_leaf=12, n_estimators=30)

with gzip.GzipFile(out, "wb", mtime=0) as f:
    f.write(json.dumps(dict(tool="scikit-learn " + sklearn.__version__, numpy=np.__version__, seed=seed, cases=cases)).encode())
