# Makes the folders of random weights that the families' tests read, in the layouts of the published models, and what the transformers library
# computes for them in float32.
#   python make_families.py [NAME ...]     -> families/NAME/ with expected.json in each
# Written with transformers 5.23.0, torch 2.15.0, tokenizers 0.23.3, safetensors 0.8.0. The keys of config.json are those of the published files
# named beside each; the sizes are small. The tokenizers are those of ../../runtime/bbpe/testdata and spm/testdata.
import json, os, shutil, sys, glob
import numpy as np, torch
from safetensors.torch import load_file, save_file
import transformers
from tokenizers import Tokenizer
from types import SimpleNamespace
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText
here = os.path.dirname(os.path.abspath(__file__))
torch.manual_seed(7); transformers.logging.set_verbosity_error()

SIGLIP = dict(hidden_size=16, image_size=28, intermediate_size=16, model_type="siglip_vision_model", num_attention_heads=2, num_hidden_layers=1, patch_size=14, vision_use_head=False)
PIXTRAL = dict(head_dim=8, hidden_act="silu", hidden_size=16, image_size=28, intermediate_size=16, model_type="pixtral", num_attention_heads=2, num_channels=3, num_hidden_layers=1, patch_size=14, rope_theta=10000.0)
GEMMA_TEXT = dict(head_dim=16, hidden_size=32, intermediate_size=56, model_type="gemma3_text", num_attention_heads=4, num_hidden_layers=7, num_key_value_heads=2, rope_scaling=dict(factor=8.0, rope_type="linear"), sliding_window=11, vocab_size=1210)

# name: (tokenizer, weights' type, shards, generation_config.json, tokenizer_config.json, config.json)
FAMILIES = {
    # Qwen/Qwen3-0.6B
    "qwen3": ("qwen3", torch.bfloat16, 1, dict(bos_token_id=560, eos_token_id=[562, 560]), dict(add_bos_token=False, bos_token=None, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template="{%- if enable_thinking is defined and enable_thinking is false %}"), dict(
        architectures=["Qwen3ForCausalLM"], attention_bias=False, attention_dropout=0.0, bos_token_id=560, eos_token_id=562, head_dim=24, hidden_act="silu", hidden_size=48, initializer_range=0.02, intermediate_size=72, max_position_embeddings=512,
        max_window_layers=3, model_type="qwen3", num_attention_heads=4, num_hidden_layers=3, num_key_value_heads=2, rms_norm_eps=1e-6, rope_scaling=None, rope_theta=1000000, sliding_window=None, tie_word_embeddings=True, torch_dtype="bfloat16", use_cache=True, use_sliding_window=False, vocab_size=576)),
    # mistralai/Ministral-3-8B-Instruct-2512 (bfloat16)
    "ministral3": ("tekken", torch.bfloat16, 1, dict(bos_token_id=1, eos_token_id=2), dict(add_bos_token=True, bos_token="<s>", eos_token="</s>"), dict(
        architectures=["Mistral3ForConditionalGeneration"], dtype="bfloat16", image_token_index=10, model_type="mistral3", tie_word_embeddings=False, multimodal_projector_bias=False, projector_hidden_act="gelu", spatial_merge_size=2, vision_feature_layer=-1,
        text_config=dict(attention_dropout=0.0, bos_token_id=1, eos_token_id=2, head_dim=16, hidden_act="silu", hidden_size=40, initializer_range=0.02, intermediate_size=64, max_position_embeddings=512, model_type="ministral3", num_attention_heads=4, num_hidden_layers=3, num_key_value_heads=2, rms_norm_eps=1e-5,
            rope_parameters=dict(beta_fast=32.0, beta_slow=1.0, factor=16.0, llama_4_scaling_beta=0.1, mscale=1.0, mscale_all_dim=1.0, original_max_position_embeddings=32, rope_theta=1000000.0, rope_type="yarn", type="yarn"), sliding_window=None, tie_word_embeddings=False, use_cache=True, vocab_size=600),
        vision_config=PIXTRAL)),
    # google/gemma-3-4b-it: what is as in the library's defaults is left out
    "gemma3-4b": ("gemma", torch.bfloat16, 2, dict(bos_token_id=2, eos_token_id=[1, 8]), dict(add_bos_token=True, bos_token="<bos>", eos_token="<eos>"), dict(
        architectures=["Gemma3ForConditionalGeneration"], boi_token_index=5, eoi_token_index=6, eos_token_id=[1, 8], image_token_index=4, initializer_range=0.02, mm_tokens_per_image=4, model_type="gemma3", text_config=GEMMA_TEXT, torch_dtype="bfloat16", vision_config=SIGLIP)),
    # google/gemma-3-27b-it: scores scaled by 168, not by the width of a head
    "gemma3-27b": ("gemma", torch.bfloat16, 1, dict(bos_token_id=2, eos_token_id=[1, 8]), dict(add_bos_token=True, bos_token="<bos>", eos_token="<eos>"), dict(
        architectures=["Gemma3ForConditionalGeneration"], boi_token_index=5, eoi_token_index=6, eos_token_id=[1, 8], image_token_index=4, initializer_range=0.02, mm_tokens_per_image=4, model_type="gemma3",
        text_config=dict(GEMMA_TEXT, query_pre_attn_scalar=168, num_hidden_layers=6, hidden_size=24), torch_dtype="bfloat16", vision_config=SIGLIP)),
}

class Pieces:
    def __init__(self, file):
        from sentencepiece import SentencePieceProcessor
        self.sp = SentencePieceProcessor(model_file=file)
    def encode(self, text, add_special_tokens=True): return SimpleNamespace(ids=[2] * add_special_tokens + self.sp.encode(text))

def tokenizer(kind, folder): return Pieces(f"{folder}/tokenizer.model") if kind == "gemma" else Tokenizer.from_file(f"{folder}/tokenizer.json")

def randomize(model):
    g = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for name, p in model.named_parameters():
            norm = p.dim() == 1 and "norm" in name
            r = torch.randn(p.shape, generator=g)
            if norm and "gemma" in type(model).__name__.lower(): p.copy_(0.3 * r)
            elif norm: p.copy_(1 + 0.3 * r)
            elif "embed_tokens" in name: p.copy_(0.4 * r)
            elif p.dim() > 1: p.copy_(r * p.shape[-1] ** -0.5)
            else: p.copy_(0.02 * r)

def make(name):
    tok, dtype, shards, generation, tokenizer_config, config = FAMILIES[name]
    folder = f"{here}/families/{name}"; shutil.rmtree(folder, ignore_errors=True); os.makedirs(folder)
    json.dump(config, open(f"{folder}/config.json", "w"), indent=1)
    auto = AutoModelForImageTextToText if "text_config" in config else AutoModelForCausalLM
    model = auto.from_config(AutoConfig.from_pretrained(folder)).float(); randomize(model)
    model = model.to(dtype); model.save_pretrained(f"{folder}/saved")
    w = {}
    for f in glob.glob(f"{folder}/saved/*.safetensors"): w.update(load_file(f))
    shutil.rmtree(f"{folder}/saved")
    if shards == 1: save_file(w, f"{folder}/model.safetensors", metadata=dict(format="pt"))
    else:
        names, where = sorted(w), {}
        for s in range(shards):
            part = f"model-{s + 1:05d}-of-{shards:05d}.safetensors"; mine = names[s::shards]
            save_file({k: w[k].contiguous() for k in mine}, f"{folder}/{part}", metadata=dict(format="pt")); where.update({k: part for k in mine})
        json.dump(dict(metadata={}, weight_map=where), open(f"{folder}/model.safetensors.index.json", "w"), indent=1)
    json.dump(config, open(f"{folder}/config.json", "w"), indent=1)
    json.dump(generation, open(f"{folder}/generation_config.json", "w"))
    if tokenizer_config: json.dump(tokenizer_config, open(f"{folder}/tokenizer_config.json", "w"))
    if tok == "gemma": shutil.copy(f"{here}/../../runtime/spm/testdata/fallback.model", f"{folder}/tokenizer.model")
    else: shutil.copy(f"{here}/../../runtime/bbpe/testdata/{tok}.json", f"{folder}/tokenizer.json")
    model = auto.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    e = expected(model, tokenizer(tok, folder), dict(config, **config.get("text_config", {})))
    json.dump(dict(transformers=transformers.__version__, **e), open(f"{folder}/expected.json", "w"), separators=(",", ":"))
    print(name, f"{sum(os.path.getsize(f) for f in glob.glob(folder + '/*')) / 1e3:.0f} kB", sorted(w)[0], len(w), "tensors")

def expected(model, tok, c):
    rng = np.random.default_rng(3)
    V, context = c["vocab_size"], c.get("max_position_embeddings", 131072)
    def logits(ids):
        with torch.no_grad(): return model(input_ids=torch.tensor([ids])).logits[0, -1].double().numpy()
    start = tok.encode("x").ids; start = start[:len(start) - len(tok.encode("x", add_special_tokens=False).ids)]
    W = c.get("sliding_window") or 40
    prompts = ["The film is good.\nReview:", "What's the answer?", "café 😀  a dull story, 12,345"]
    labels = [" positive", " negative", " Blue"]
    runs = [start + rng.integers(0, V, n).tolist() for n in sorted({1, 4, W - 1, W, W + 1, W + 17, 2 * W + 3, 33, 64, 65, 130}) if n <= min(context - 8, 300)]
    runs += [start + tok.encode(p, add_special_tokens=False).ids for p in prompts]
    out = dict(cases=[], labels=[])
    for ids in runs:
        z = logits(ids); keep = np.union1d(np.argsort(-z)[:20], rng.choice(V, 25, replace=False))
        case = dict(ids=ids, at=keep.tolist(), logits=[round(float(v), 6) for v in z[keep]], greedy=[], logprobs=[])
        cur = list(ids)
        for _ in range(5):
            z = logits(cur); lp = z - z.max(); lp -= np.log(np.exp(lp).sum()); t = int(lp.argmax())
            case["greedy"].append(t); case["logprobs"].append(round(float(lp[t]), 7)); cur.append(t)
        out["cases"].append(case)
    for p in prompts:
        ids = tok.encode(p, add_special_tokens=False).ids; z = logits(start + ids)
        first = [tok.encode(p + l, add_special_tokens=False).ids[len(ids)] for l in labels]
        assert len(set(first)) == 3, (p, first)
        lp = z[first] - z[first].max(); lp -= np.log(np.exp(lp).sum())
        out["labels"].append(dict(prompt=p, labels=labels, logprobs=[round(float(v), 7) for v in lp]))
    return out

for n in sys.argv[1:] or FAMILIES: make(n)
