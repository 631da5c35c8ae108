# Writes svd.json.gz: a matrix as embeddings make one, and what scikit-learn's TruncatedSVD makes of it.
# The directions' strengths fall like 1/√j, as slowly as those of sentence embeddings.
# usage: python make_svd.py      (numpy 2.x, scikit-learn 1.9.1)
import gzip, json
import numpy as np, sklearn
from sklearn.decomposition import TruncatedSVD

n, d, k = 120, 48, 6
r = np.random.default_rng(20)
X = (r.normal(size=(n, d)) / np.sqrt(np.arange(1, d + 1))) @ np.linalg.qr(r.normal(size=(d, d)))[0] + 0.05
X = X.astype(np.float32).round(4)
svd = TruncatedSVD(n_components=k, algorithm="arpack", random_state=0)
Z = svd.fit_transform(X.astype(np.float64))
order = np.argsort(-svd.singular_values_)
Z, V = Z[:, order], svd.components_[order]
sign = np.sign(V[np.arange(k), np.abs(V).argmax(axis=1)])  # the largest component of a direction is positive
Z = Z * sign
kept = float((Z**2).sum() / (X.astype(np.float64) ** 2).sum())
with gzip.GzipFile("svd.json.gz", "wb", mtime=0) as f:
    f.write(json.dumps({"sklearn": sklearn.__version__, "vectors": X.round(4).tolist(), "columns": Z.T.round(12).tolist(), "kept": kept}).encode())
print(svd.singular_values_, kept, np.linalg.svd(X.astype(np.float64))[1][:9])
