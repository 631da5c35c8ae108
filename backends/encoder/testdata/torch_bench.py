# Texts per second of sentence-transformers on the 200 texts of make_fixtures.py.
#   python torch_bench.py DATA FOLDER
import gzip, itertools, json, sys, time
import torch
from sentence_transformers import SentenceTransformer
data, folder = sys.argv[1:3]
def first(name, key, n):
    return [json.loads(l)[key] for l in itertools.islice(gzip.open(f"{data}/{name}.jsonl.gz", "rt", encoding="utf-8"), n)]
texts = first("sst2", "text", 50) + first("agnews", "text", 40) + first("squad", "context", 30) + first("squad", "question", 30) + first("wmt14", "target", 20) + first("emotion", "text", 20) + first("fakenews", "text", 10)
model = SentenceTransformer(folder, device="cpu")
for threads in (1, 2):
    torch.set_num_threads(threads)
    for batch in (8, 32):
        model.encode(texts, batch_size=batch, normalize_embeddings=True)
        best = 1e9
        for _ in range(5):
            t, c = time.time(), time.process_time()
            model.encode(texts, batch_size=batch, normalize_embeddings=True)
            if time.process_time() - c < best: best, wall = time.process_time() - c, time.time() - t
        print(f"threads {threads}, batches of {batch}: {len(texts)/best:.0f} texts per processor second ({len(texts)/wall:.0f} by the clock; best of 5)", flush=True)
