# Tokens per second of PyTorch on the same architecture, lengths and threads as BenchmarkClassify and BenchmarkGenerate.
#   [THREADS=2] python torch_bench.py [FOLDER ...]      without a folder: random weights in the two shapes of the benchmark
# Beside the clock's figure stands the one per second of CPU time: on a busy machine compare those, with THREADS=1.
# Classification computes the logits of the last position only. Two implementations are timed: transformers' Gemma3ForCausalLM, and the plain functions below (no framework overhead, fused scaled_dot_product_attention).
# Prompts of one length go together, up to 64, as the engine's rule for batches without padding asks; "ragged" is not something PyTorch does on a CPU without padding.
import sys, time, os, logging
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch, torch.nn.functional as F
from transformers import Gemma3ForCausalLM, Gemma3TextConfig
torch.set_num_threads(int(os.environ.get("THREADS", "2"))); torch.set_grad_enabled(False); torch.set_flush_denormal(True)
shape = lambda d, l, h, g, f, p: Gemma3TextConfig(hidden_size=d, num_hidden_layers=l, num_attention_heads=h, num_key_value_heads=g, head_dim=32, intermediate_size=f, vocab_size=4096, query_pre_attn_scalar=32, sliding_window=64,
    layer_types=["full_attention" if (i + 1) % p == 0 else "sliding_attention" for i in range(l)], max_position_embeddings=512, bos_token_id=2, eos_token_id=1, pad_token_id=0, tie_word_embeddings=True)
models = {f: Gemma3ForCausalLM.from_pretrained(f, dtype=torch.float32) for f in sys.argv[1:]} or {"student": Gemma3ForCausalLM(shape(64, 3, 2, 1, 192, 3)), "master": Gemma3ForCausalLM(shape(192, 6, 6, 2, 432, 3))}
lengths = [20 + i * 37 % 101 for i in range(512)]
groups = {}
for n in lengths: groups.setdefault(n, []).append(n)
batches = [torch.randint(0, 4096, (len(g[i:i + 64]), n)) for n, g in sorted(groups.items()) for i in range(0, len(g), 64)]
# 512 prompts over 101 lengths make batches of about 5; a study of thousands makes fuller ones: time those too.
full = [torch.randint(0, 4096, (64, n)) for n in range(20, 121, 10)]

def plain(m):
    c = m.config; D, H, G = c.head_dim, c.num_attention_heads, c.num_key_value_heads
    one = lambda w: 1 + w.weight
    rms = lambda x, w: F.rms_norm(x, (x.shape[-1],), w, c.rms_norm_eps)
    L = [dict(w0=one(l.input_layernorm), w1=one(l.post_attention_layernorm), w2=one(l.pre_feedforward_layernorm), w3=one(l.post_feedforward_layernorm), qn=one(l.self_attn.q_norm), kn=one(l.self_attn.k_norm),
        qkv=torch.cat([l.self_attn.q_proj.weight, l.self_attn.k_proj.weight, l.self_attn.v_proj.weight]), o=l.self_attn.o_proj.weight, gu=torch.cat([l.mlp.gate_proj.weight, l.mlp.up_proj.weight]), down=l.mlp.down_proj.weight) for l in m.model.layers]
    def turn(x, cos, sin): a, b = x.chunk(2, -1); return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
    E, fin = m.model.embed_tokens.weight, one(m.model.norm); tables = {}
    def table(n):
        if n not in tables:
            out = []
            for base in (1e4, 1e6):
                a = torch.outer(torch.arange(n), base ** (-torch.arange(0, D, 2) / D)); out.append((a.cos(), a.sin()))
            i = torch.arange(n); mask = (i[:, None] >= i) & (i[:, None] - i < c.sliding_window); tables[n] = out, mask
        return tables[n]
    def run(ids):
        B, n = ids.shape; x = F.embedding(ids, E) * c.hidden_size ** 0.5; ropes, mask = table(n)
        for i, w in enumerate(L):
            full = c.layer_types[i] == "full_attention"; cos, sin = ropes[full]
            q, k, v = F.linear(rms(x, w["w0"]), w["qkv"]).view(B, n, H + 2 * G, D).transpose(1, 2).split([H, G, G], 1)
            q, k = turn(rms(q, w["qn"]), cos, sin), turn(rms(k, w["kn"]), cos, sin)
            a = F.scaled_dot_product_attention(q, k, v, scale=c.query_pre_attn_scalar ** -0.5, enable_gqa=True, **(dict(is_causal=True) if full or n <= c.sliding_window else dict(attn_mask=mask)))
            x = x + rms(F.linear(a.transpose(1, 2).reshape(B, n, H * D), w["o"]), w["w1"])
            g, u = F.linear(rms(x, w["w2"]), w["gu"]).chunk(2, -1)
            x = x + rms(F.linear(F.gelu(g, approximate="tanh") * u, w["down"]), w["w3"])
        return F.linear(rms(x[:, -1], fin), E[[5, 6]])
    return run

def clock(f, batches):
    "Best of three: tokens per second of wall time, tokens per second of CPU time."
    for b in batches[:3]: f(b)
    n, wall, cpu = sum(b.numel() for b in batches), [], []
    for _ in range(3):
        t, u = time.perf_counter(), time.process_time()
        for b in batches: f(b)
        wall.append(n / (time.perf_counter() - t)); cpu.append(n / (time.process_time() - u))
    return f"{max(wall):.0f} tokens/s ({max(cpu):.0f} per CPU second)"
print("torch", torch.__version__, "threads", torch.get_num_threads())
for name, m in models.items():
    m.eval(); p = plain(m); b = full[4]; hf = lambda ids: m(input_ids=ids, logits_to_keep=1, use_cache=False)
    diff = (hf(b).logits[:, -1][:, [5, 6]] - p(b)).abs().max().item()
    for label, bs in (("equal lengths as they come", batches), ("full batches of 64", full)):
        print(f"{name}: {label}: transformers {clock(hf, bs)}, plain {clock(p, bs)} (they differ by {diff:.1g})", flush=True)
    ids, at = torch.randint(0, 4096, (64, 70)), []
    for n in (1, 1, 17):  # the difference of the last two is 16 steps
        m.generate(ids, max_new_tokens=n, do_sample=False, eos_token_id=None); at.append((time.perf_counter(), time.process_time()))
    wall, cpu = ((at[2][i] - at[1][i]) - (at[1][i] - at[0][i]) for i in (0, 1))
    print(f"{name}: generation, 64 at once: {64 * 16 / wall:.0f} tokens/s ({64 * 16 / cpu:.0f} per CPU second)", flush=True)
