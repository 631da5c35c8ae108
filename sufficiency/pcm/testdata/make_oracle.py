# Writes oracle.json: the regression on β and the studentised statistic of a fixed example,
# by scikit-learn's linear splines, scipy's ranks and t distribution, and numpy's least squares.
import json, sys
import numpy as np, scipy, sklearn
from scipy.stats import rankdata, t as student
from sklearn.preprocessing import SplineTransformer

rng = np.random.default_rng(7)
n, folds = 240, 5
beta = np.round(1 / (1 + np.exp(-3 - 3 * rng.standard_normal(n))), 6)
beta[rng.permutation(n)[:40]] = 1.0  # a point mass
fold = rng.permutation(np.arange(n) % folds)
delta = (rng.random(n) < 0.45 + 0.4 * np.sin(12 * beta)).astype(float) - (rng.random(n) < 0.1)
f = np.sin(12 * beta) + 0.3 * rng.standard_normal(n)

# The basis: hats on even knots and on ranks (the tie counted once), a step at the tie.
ties = [v for v, c in zip(*np.unique(beta, return_counts=True)) if c >= max(10, n // 100)]
assert ties == [1.0]
once = np.concatenate([beta[beta != 1.0], [1.0]])
ranks = dict(zip(once, (rankdata(once) - 0.5) / len(once)))
knots = int(np.sqrt(len(once)))
def hats(u):
    return SplineTransformer(knots=np.linspace(0, 1, knots)[:, None], degree=1).fit_transform(u[:, None])
X = np.hstack([hats((beta - beta.min()) / (beta.max() - beta.min())),
               hats(np.array([ranks[b] for b in beta]))[:, 1:], (beta == 1.0)[:, None].astype(float)])
D = np.diff(np.eye(knots), 2, axis=0)
def penalty(even, by, m):
    p = X.shape[1]
    rows = [np.hstack([np.sqrt(even * m / knots) * D, np.zeros((knots - 2, p - knots))]),
            np.hstack([np.zeros((knots - 2, knots)), np.sqrt(by * m / knots) * D[:, 1:], np.zeros((knots - 2, 1))]),
            np.sqrt(1e-7 * m) * np.eye(p), np.eye(p)[-1:]]
    return np.vstack(rows)
def crossfit(y, even, by):
    out = np.zeros(n)
    for k in range(folds):
        rest = fold != k
        P = penalty(even, by, rest.sum())
        c, *_ = np.linalg.lstsq(np.vstack([X[rest], P]), np.concatenate([y[rest], np.zeros(len(P))]), rcond=None)
        out[~rest] = X[~rest] @ c
    return out
def chosen(y):
    tried = [(((y - (o := crossfit(y, e, b))) ** 2).sum(), e, b, o) for e in (1e-2, 1, 1e2, 1e4) for b in (1e-2, 1, 1e2, 1e4)]
    return min(tried, key=lambda x: x[0])

_, e1, b1, m = chosen(delta)
_, e2, b2, mf = chosen(f)
L = (delta - m) * (f - mf)
T = np.sqrt(n) * L.mean() / L.std(ddof=1)
json.dump({"tool": f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}",
           "beta": beta.tolist(), "fold": fold.tolist(), "delta": delta.tolist(), "f": f.tolist(),
           "delta_fit": m.tolist(), "f_fit": mf.tolist(), "penalties": [e1, b1, e2, b2], "t": T, "p": float(student.sf(T, n - 1))},
          open(sys.argv[1], "w"))
