# Tokens per second of the transformers library on a folder, as BenchmarkFolder times the engine.
#   [THREADS=2] python folder_bench.py FOLDER            -> prints
#   python folder_bench.py FOLDER qwen3-0.6b             makes FOLDER first: random bfloat16 weights in the shape of Qwen/Qwen3-0.6B
import os, shutil, sys, time
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch
from transformers import AutoModelForCausalLM, Qwen3Config, Qwen3ForCausalLM
torch.set_num_threads(int(os.environ.get("THREADS", "2"))); torch.set_grad_enabled(False); torch.set_flush_denormal(True)
folder = sys.argv[1]
if len(sys.argv) > 2:
    c = Qwen3Config(hidden_size=1024, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128, intermediate_size=3072, vocab_size=151936, max_position_embeddings=40960, tie_word_embeddings=True, rope_theta=1e6, bos_token_id=560, eos_token_id=562)
    Qwen3ForCausalLM(c).to(torch.bfloat16).save_pretrained(folder, max_shard_size="10GB")
    shutil.copy(f"{os.path.dirname(os.path.abspath(__file__))}/../../runtime/bbpe/testdata/qwen3.json", f"{folder}/tokenizer.json"); sys.exit()
m = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval(); V = m.config.vocab_size
def clock(name, n, f):
    wall, cpu = [], []
    for _ in range(2):
        t, u = time.perf_counter(), time.process_time(); f(); wall.append(n / (time.perf_counter() - t)); cpu.append(n / (time.process_time() - u))
    print(f"{name}: {max(wall):.1f} tokens/s ({max(cpu):.1f} per CPU second)", flush=True)
print("torch", torch.__version__, "threads", torch.get_num_threads())
clock("classify", 4 * 128, lambda: m(input_ids=torch.randint(0, V, (4, 128)), logits_to_keep=1, use_cache=False))
clock("generate", 4 * 16, lambda: m.generate(torch.randint(0, V, (4, 1)), max_new_tokens=16, do_sample=False, eos_token_id=None))
