# Times of other programs' boosted trees on the data of BenchmarkFit and BenchmarkRows: β and some columns on some records,
# 100 trees of depth 3, learning rate 0.1, one thread. Each time is the best of REPEATS fits, from a float64 matrix in memory.
# usage: peers.py [REPEATS] [SIZE ...] [NAME ...]     e.g. peers.py 3 6400x100 640000x100 LightGBM
# A SIZE is ROWSxCOLUMNS, without β; a NAME is the beginning of a program's; none is all but the exact trees above 10,000 rows.
import os, sys, time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np, sklearn, xgboost, lightgbm
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor


def splitmix(count):
    z = (np.arange(1, count + 1, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def data(n, d):
    u = splitmix(n + 3 * n * d + n)
    beta = u[:n]
    J = u[n : n + 3 * n * d].reshape(d, n, 3)
    J = (J[:, :, 0] + (J[:, :, 1] + J[:, :, 2] - 1.5)).T
    coin = u[n + 3 * n * d :]
    p = 0.6 * (1 - beta) + 0.2 * J[:, 0]
    p[J[:, 1] > 0.5] += 0.2
    y = np.where(coin < p, 1.0, np.where(coin > 0.95, -1.0, 0.0))
    return np.column_stack([beta, J]), y


repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
sizes = [tuple(map(int, a.split("x"))) for a in sys.argv[2:] if a[0].isdigit()] or [(6400, 100), (6400, 768)]
names = [a for a in sys.argv[2:] if not a[0].isdigit()]
common = dict(n_estimators=100, max_depth=3, learning_rate=0.1)
peers = {
    f"scikit-learn {sklearn.__version__} HistGradientBoostingRegressor": lambda: HistGradientBoostingRegressor(max_iter=100, max_depth=3, learning_rate=0.1, early_stopping=False, min_samples_leaf=1),
    f"XGBoost {xgboost.__version__} hist": lambda: xgboost.XGBRegressor(tree_method="hist", n_jobs=1, **common),
    f"LightGBM {lightgbm.__version__}": lambda: lightgbm.LGBMRegressor(n_jobs=1, num_leaves=8, min_child_samples=1, verbose=-1, force_col_wise=True, **common),
    f"scikit-learn {sklearn.__version__} GradientBoostingRegressor": lambda: GradientBoostingRegressor(**common),
}
for n, d in sizes:
    X, y = data(n, d)
    print(f"{n} x {d}: mean of targets {y.mean():.6f}", flush=True)
    for name, make in peers.items():
        exact = name.endswith(" GradientBoostingRegressor")
        if exact and n > 10_000 or names and not name.startswith(tuple(names)):
            continue
        wall, cpu = [], []
        for _ in range(1 if exact else repeats):
            m = make()
            a, c = time.perf_counter(), time.process_time()
            m.fit(X, y)
            wall.append(time.perf_counter() - a)
            cpu.append(time.process_time() - c)
        mse = np.mean((m.predict(X) - y) ** 2)
        print(f"{n} x {d}  {name}: {min(wall):.3f} s (processor {min(cpu):.3f} s), training MSE {mse:.5f}", flush=True)
