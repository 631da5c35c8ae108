"""Writes sklearn_logistic.json: python sklearn_logistic.py > sklearn_logistic.json

scikit-learn 1.9.1, NumPy 2.x: coefficients of LogisticRegression (lbfgs, tol
1e-12, intercept not penalised) on a small sparse matrix of 32-bit values, and
a and b of Platt's method as sklearn.calibration has it.
"""
import json

import numpy as np
from sklearn.calibration import _SigmoidCalibration
from sklearn.linear_model import LogisticRegression

r = np.random.default_rng(7)
x = np.where(r.random((40, 12)) < 0.4, r.normal(size=(40, 12)), 0).astype(np.float32)
y = (x[:, 0] - x[:, 3] + 0.5 * r.normal(size=40) > 0.2).astype(int)
fits = []
for C in [0.05, 1.0, 20.0]:
    m = LogisticRegression(C=C, tol=1e-12, max_iter=100000).fit(x.astype(np.float64), y)
    fits.append({"c": C, "weights": m.coef_[0].tolist(), "intercept": m.intercept_[0]})
z = r.normal(size=60) * 2
labels = (z + 1.5 * r.normal(size=60) > 0.5).astype(int)
p = _SigmoidCalibration().fit(z, labels)
print(json.dumps({"x": x.tolist(), "y": y.tolist(), "fits": fits, "z": z.tolist(), "labels": labels.tolist(), "a": -p.b_, "b": -p.a_}))
