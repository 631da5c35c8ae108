# Makes the folders and fixtures the engine's tests compare with.
#   python make_fixtures.py                    -> tiny/ and mixed/ (random weights, their own tokenizer) with expected.json in each
#   python make_fixtures.py FOLDER OUT.json    -> expected values of any Gemma 3 text folder, e.g.
#       python make_fixtures.py ../../../experiments/models/tiny-student tiny-student.json
#       python make_fixtures.py ../../../experiments/models/tiny-master tiny-master.json
# Everything is computed in float64 by the plain definition below, which shares no code with the engine.
# Written with numpy 2.4, sentencepiece 0.2.3, safetensors 0.8, torch 2.15 (only to store bfloat16).
import json, os, sys, glob
import numpy as np, sentencepiece as spm, torch
from safetensors.torch import load_file, save_file
here = os.path.dirname(os.path.abspath(__file__))

class Reference:
    def __init__(self, folder):
        self.c = json.load(open(f"{folder}/config.json"))
        self.w = {}
        for f in glob.glob(f"{folder}/*.safetensors"): self.w.update({k: v.to(torch.float64).numpy() for k, v in load_file(f).items()})
        c = self.c
        pattern = c.get("sliding_window_pattern")
        self.globals = [t == "full_attention" for t in c["layer_types"]] if "layer_types" in c else [(l + 1) % pattern == 0 for l in range(c["num_hidden_layers"])]
        self.factor = (c.get("rope_scaling") or {}).get("factor", 1.0)

    def norm(self, x, name):
        return x / np.sqrt(np.mean(x ** 2, axis=-1, keepdims=True) + self.c["rms_norm_eps"]) * (1 + self.w[name + ".weight"])

    def rotate(self, x, full):  # x: positions, heads, dim
        dim = x.shape[-1]; half = dim // 2
        base = self.c["rope_theta"] if full else self.c["rope_local_base_freq"]
        angle = np.outer(np.arange(len(x)) / (self.factor if full else 1.0), base ** (-2.0 * np.arange(half) / dim))[:, None, :]
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], axis=-1)

    def logits(self, ids):
        c, n = self.c, len(ids)
        H, G, D = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
        x = self.w["model.embed_tokens.weight"][ids] * c["hidden_size"] ** 0.5
        behind = np.arange(n)[:, None] - np.arange(n)[None, :]
        for l, full in enumerate(self.globals):
            p = f"model.layers.{l}."
            lin = lambda y, name: y @ self.w[p + name + ".weight"].T
            y = self.norm(x, p + "input_layernorm")
            q = self.rotate(self.norm(lin(y, "self_attn.q_proj").reshape(n, H, D), p + "self_attn.q_norm"), full)
            k = self.rotate(self.norm(lin(y, "self_attn.k_proj").reshape(n, G, D), p + "self_attn.k_norm"), full)
            v = lin(y, "self_attn.v_proj").reshape(n, G, D)
            seen = (behind >= 0) & (full | (behind < c["sliding_window"]))
            out = np.zeros((n, H, D))
            for h in range(H):
                s = q[:, h] @ k[:, h * G // H].T / c["query_pre_attn_scalar"] ** 0.5
                s = np.where(seen, s, -np.inf); e = np.exp(s - s.max(axis=1, keepdims=True))
                out[:, h] = e / e.sum(axis=1, keepdims=True) @ v[:, h * G // H]
            x = x + self.norm(lin(out.reshape(n, H * D), "self_attn.o_proj"), p + "post_attention_layernorm")
            y = self.norm(x, p + "pre_feedforward_layernorm")
            g = lin(y, "mlp.gate_proj"); g = 0.5 * g * (1 + np.tanh((2 / np.pi) ** 0.5 * (g + 0.044715 * g ** 3)))
            x = x + self.norm(lin(g * lin(y, "mlp.up_proj"), "mlp.down_proj"), p + "post_feedforward_layernorm")
        tied = self.c.get("tie_word_embeddings", True)
        return self.norm(x, "model.norm")[-1] @ self.w["model.embed_tokens.weight" if tied else "lm_head.weight"].T

def logsoftmax(z): z = z - z.max(); return z - np.log(np.exp(z).sum())

def expected(folder, prompts, labels):
    r, sp, rng = Reference(folder), spm.SentencePieceProcessor(model_file=f"{folder}/tokenizer.model"), np.random.default_rng(3)
    c = r.c; W, V, context, bos = c["sliding_window"], c["vocab_size"], c["max_position_embeddings"], c["bos_token_id"]
    out = dict(cases=[], labels=[])
    runs = [[bos]] + [[bos] + rng.integers(0, V, n - 1).tolist() for n in sorted({2, 5, W - 1, W, W + 1, W + 17, 2 * W + 3, 33, 64, 65}) if 1 < n <= min(context - 8, 300)]
    runs += [[bos] + sp.encode(p) for p in prompts]
    for ids in runs:
        z = r.logits(ids); keep = np.arange(V) if V <= 600 else np.union1d(np.argsort(-z)[:40], rng.choice(V, 40, replace=False))
        case = dict(ids=ids, at=keep.tolist(), logits=[round(float(v), 7) for v in z[keep]], greedy=[], logprobs=[])
        cur = list(ids)
        for _ in range(6):
            lp = logsoftmax(r.logits(cur)); t = int(lp.argmax()); case["greedy"].append(t); case["logprobs"].append(round(float(lp[t]), 8)); cur.append(t)
        out["cases"].append(case)
    for p in prompts:
        z = r.logits([bos] + sp.encode(p)); first = [sp.encode(p + l)[len(sp.encode(p))] for l in labels]
        out["labels"].append(dict(prompt=p, labels=labels, logprobs=[round(float(v), 8) for v in logsoftmax(z[first])]))
    return out

def random_folder(name, c, dtype, shards):
    folder = f"{here}/{name}"; os.makedirs(folder, exist_ok=True)
    for f in glob.glob(folder + "/*"): os.remove(f)
    text = ["the film is good and the plot is bad", "a dull story , a fine cast", "what is the answer ? blue or red", "positive negative neutral question review answer"]
    spm.SentencePieceTrainer.train(sentence_iterator=iter(text * 50), model_prefix=f"{folder}/tokenizer", vocab_size=c["vocab_size"] - 4, model_type="bpe", byte_fallback=True, normalization_rule_name="identity", add_dummy_prefix=False,
        remove_extra_whitespaces=False, pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", eos_piece="<eos>", bos_piece="<bos>", user_defined_symbols=["\n", "\u2581\u2581"] + (["<start_of_turn>", "<end_of_turn>"] if name == "tiny" else []), minloglevel=2)
    os.remove(f"{folder}/tokenizer.vocab")
    rng = np.random.default_rng(len(name)); d, f, D = c["hidden_size"], c["intermediate_size"], c["head_dim"]; H, G = c["num_attention_heads"], c["num_key_value_heads"]
    w = {}
    def mat(k, n, m): w[k + ".weight"] = torch.tensor(rng.normal(0, m ** -0.5, (n, m)))
    def nrm(k, n): w[k + ".weight"] = torch.tensor(rng.normal(0, 0.3, n))
    w["model.embed_tokens.weight"] = torch.tensor(rng.normal(0, 0.4, (c["vocab_size"], d)))
    for l in range(c["num_hidden_layers"]):
        p = f"model.layers.{l}."
        for k in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"): nrm(p + k, d)
        nrm(p + "self_attn.q_norm", D); nrm(p + "self_attn.k_norm", D)
        mat(p + "self_attn.q_proj", H * D, d); mat(p + "self_attn.k_proj", G * D, d); mat(p + "self_attn.v_proj", G * D, d); mat(p + "self_attn.o_proj", d, H * D)
        mat(p + "mlp.gate_proj", f, d); mat(p + "mlp.up_proj", f, d); mat(p + "mlp.down_proj", d, f)
    nrm("model.norm", d)
    if not c["tie_word_embeddings"]: mat("lm_head", c["vocab_size"], d)
    w = {k: v.to(dtype(k)).contiguous() for k, v in w.items()}
    if shards == 1: save_file(w, f"{folder}/model.safetensors", metadata=dict(format="pt"))
    else:
        names, where = sorted(w), {}
        for s in range(shards):
            part = f"model-{s + 1:05d}-of-{shards:05d}.safetensors"; mine = names[s::shards]
            save_file({k: w[k] for k in mine}, f"{folder}/{part}"); where.update({k: part for k in mine})
        json.dump(dict(metadata={}, weight_map=where), open(f"{folder}/model.safetensors.index.json", "w"), indent=1)
    json.dump(c, open(f"{folder}/config.json", "w"), indent=1)
    json.dump(dict(add_bos_token=True, bos_token="<bos>"), open(f"{folder}/tokenizer_config.json", "w"))
    json.dump(dict(bos_token_id=2, eos_token_id=[1]), open(f"{folder}/generation_config.json", "w"))
    e = expected(folder, ["the film is good .\nreview :", "what is the answer ?", "caf\u00e9 \U0001F600  a dull story"], [" positive", " negative", " blue"])
    json.dump(e, open(f"{folder}/expected.json", "w"), separators=(",", ":"))

if len(sys.argv) > 1:
    prompts = ["Review: the plot is thin , but the two leads make you forgive it .\nSentiment:", "Is this good?", "Translate English to German: The old house is small.\nGerman:"]
    json.dump(expected(sys.argv[1], prompts, [" positive", " negative"]), open(sys.argv[2], "w"), separators=(",", ":"))
else:
    base = dict(architectures=["Gemma3ForCausalLM"], model_type="gemma3_text", hidden_activation="gelu_pytorch_tanh", rms_norm_eps=1e-6, bos_token_id=2, eos_token_id=1, pad_token_id=0, rope_theta=1000000.0, rope_local_base_freq=10000.0)
    random_folder("tiny", dict(base, hidden_size=48, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, head_dim=24, intermediate_size=80, vocab_size=404, query_pre_attn_scalar=24, max_position_embeddings=96, sliding_window=9,
        sliding_window_pattern=2, tie_word_embeddings=True, rope_scaling=None), lambda k: torch.bfloat16, 1)
    random_folder("mixed", dict(base, hidden_size=32, num_hidden_layers=3, num_attention_heads=3, num_key_value_heads=1, head_dim=32, intermediate_size=40, vocab_size=350, query_pre_attn_scalar=40, max_position_embeddings=512, sliding_window=40,
        layer_types=["full_attention", "sliding_attention", "sliding_attention"], tie_word_embeddings=False, rope_scaling=dict(rope_type="linear", factor=4.0)), lambda k: torch.float16 if "mlp" in k else torch.float32, 2)
