"""Accuracies of TestLightBesideScikitLearn.

    INFNET_DATA=... python sklearn_text.py [records]

scikit-learn 1.9.1. The first records train, the next 1,500 test: the same
kinds of n-grams from HashingVectorizer, tf-idf, and LogisticRegression for each
class, its C the one of the least loss on the last 15 % of the training records.
"""
import gzip, json, os, sys, time

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline, make_union

n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
for name in ["sst2", "agnews", "emotion"]:
    rows = []
    with gzip.open(os.path.join(os.environ["INFNET_DATA"], "train", name + "_train.jsonl.gz"), "rt") as f:
        for line in f:
            rows.append(json.loads(line))
            if len(rows) == n + 1500:
                break
    text, label = [r["text"] for r in rows], np.array([r["label"] for r in rows])
    def grams(**o):
        return make_pipeline(HashingVectorizer(norm=None, n_features=2**18, **o), TfidfTransformer(sublinear_tf=False))
    began = time.time()
    union = make_union(grams(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b"), grams(analyzer="char_wb", ngram_range=(3, 5)))
    train, test = union.fit_transform(text[:n]), union.transform(text[n:])
    cut, score, chosen = int(0.85 * n), [], []
    for k in range(label.max() + 1):
        y, best = label == k, None
        for C in [1 / 4, 1, 4, 16]:
            m = LogisticRegression(C=C, solver="liblinear").fit(train[:cut], y[:cut])
            loss = log_loss(y[cut:n], m.predict_proba(train[cut:])[:, 1])
            if best is None or loss < best[0]:
                best = loss, C, m
        chosen.append(best[1])
        score.append(best[2].predict_proba(test)[:, 1])
    right = np.mean(np.argmax(score, axis=0) == label[n:])
    print(name, n, "accuracy %.4f" % right, "C", chosen, "%.1f s" % (time.time() - began), flush=True)
