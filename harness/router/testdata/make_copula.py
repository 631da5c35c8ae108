"""Writes copula.json: python make_copula.py RATIONAL NIAGARA > copula.json

RATIONAL and NIAGARA are clones of github.com/mzelling/rational-llm-cascades (0d9c861) and github.com/mzelling/niagara,
whose own functions fit the model and integrate it; SciPy 1.17.1, statsmodels 0.15.0. Their grids are made finer than
their defaults, so that what is left is rounding of their integrals.
"""
import contextlib
import json
import sys
import types

import numpy as np

sys.path.insert(0, sys.argv[1] + "/experiments")
niagara = types.ModuleType("niagara")  # without its __init__, which wants clients of four vendors
niagara.__path__ = [sys.argv[2] + "/niagara"]
sys.modules["niagara"] = niagara
import optimize_cascade as theirs  # noqa: E402

r = np.random.default_rng(5)
n = 240
z = r.normal(size=(n, 2)) @ np.array([[1, 0.6], [0, 0.8]])
x = np.round(1 / (1 + np.exp(-z * [1.2, 0.9] - [0.6, 1.6])), 4)
x[x[:, 0] > 0.93, 0] = 0.93  # masses at both ends
x[x[:, 0] < 0.2, 0] = 0.2
x[x[:, 1] > 0.955, 1] = 0.955
x[x[:, 1] < 0.5, 1] = 0.5
with contextlib.redirect_stdout(sys.stderr):
    cases = theirs.get_01_cases(x)
    ends = x.min(0), x.max(0)
    smooth = theirs.fit_smooth_marginals(x, cases, ends)
    model = {
        "marginal_base_probs": theirs.get_marginal_base_probs(x, cases),
        "joint_base_probs": theirs.get_joint_base_probs(x, cases),
        "offdiagonal_marginals": theirs.fit_offdiagonal_marginals(x, cases, ends),
        "smooth_marginals": smooth,
        "smooth_copula_model": theirs.fit_smooth_copula_model(x, smooth, cases),
    }
    points = []
    for t in np.linspace(0.25, 0.9, 6):
        d = theirs.compute_marginal_thresholded_prob(t, model["marginal_base_probs"], smooth)
        kept = theirs.compute_expected_correctness(t, model["marginal_base_probs"], smooth, n_grid=2000, min_max=ends)
        passed = theirs.compute_expected_correctness_upon_deferral(t, x[:, 1].min(), **model, n_grid=800, min_max=ends)
        points.append({"t": t, "deferred": float(d), "correct": float(kept + d * passed)})

print(json.dumps({"first": x[:, 0].tolist(), "second": x[:, 1].tolist(),
                  "theta": float(model["smooth_copula_model"].copula.args[0]), "points": points}))
