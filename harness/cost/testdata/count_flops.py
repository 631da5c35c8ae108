"""Writes profiler.json: what PyTorch's profiler counts for one forward pass.

The six models of the paper and two encoders, at their real sizes, on PyTorch's
meta device: shapes are computed and no weight is ever made. Eager attention,
since the profiler does not see fused kernels.

    pip install torch transformers
    python count_flops.py > profiler.json
"""
import json
import sys

import torch
import transformers
from torch.profiler import ProfilerActivity, profile
from transformers import (AutoModel, AutoModelForCausalLM, BertConfig, DistilBertConfig, Gemma3TextConfig,
                          MistralConfig, Qwen3Config)


def gemma(d, n, heads, h, g, f, v, window):
    return Gemma3TextConfig(hidden_size=d, num_hidden_layers=n, num_attention_heads=heads, head_dim=h,
                            num_key_value_heads=g, intermediate_size=f, vocab_size=v, sliding_window=window,
                            attn_implementation="eager")


DECODERS = {
    "gemma3-1b": gemma(1152, 26, 4, 256, 1, 6912, 262144, 512),
    "gemma3-4b": gemma(2560, 34, 8, 256, 4, 10240, 262208, 1024),
    "gemma3-12b": gemma(3840, 48, 16, 256, 8, 15360, 262208, 1024),
    "gemma3-27b": gemma(5376, 62, 32, 128, 16, 21504, 262208, 1024),
    "qwen3-4b": Qwen3Config(hidden_size=2560, num_hidden_layers=36, num_attention_heads=32, head_dim=128,
                            num_key_value_heads=8, intermediate_size=9728, vocab_size=151936,
                            attn_implementation="eager"),
    "ministral3-3b": MistralConfig(hidden_size=3072, num_hidden_layers=26, num_attention_heads=32, head_dim=128,
                                   num_key_value_heads=8, intermediate_size=9216, vocab_size=131072,
                                   sliding_window=None, attn_implementation="eager"),
}
ENCODERS = {
    "bert-base": BertConfig(attn_implementation="eager"),
    "distilbert": DistilBertConfig(attn_implementation="eager"),
}


def count(run):
    with profile(activities=[ProfilerActivity.CPU], with_flops=True) as p:
        run()
    out = {}
    for e in p.key_averages():
        if e.flops:
            out[e.key.removeprefix("aten::")] = out.get(e.key.removeprefix("aten::"), 0) + int(e.flops)
    return dict(sorted(out.items()))


def main():
    rows = []
    with torch.device("meta"), torch.no_grad():
        for name, config in {**DECODERS, **ENCODERS}.items():
            decoder = name in DECODERS
            model = (AutoModelForCausalLM if decoder else AutoModel).from_config(config).eval()
            for tokens in (100, 60):
                ids = torch.zeros((1, tokens), dtype=torch.long)
                # A ready mask: making one would look at values, which meta tensors do not have.
                mask = torch.zeros((1, 1, tokens, tokens))
                if name.startswith(("gemma", "qwen")):
                    mask = {"full_attention": mask, "sliding_attention": mask}
                more = {"use_cache": False} if decoder else {}
                rows.append({"model": name, "decoder": decoder, "tokens": tokens,
                             "flops": count(lambda: model(ids, attention_mask=mask, **more))})
            del model
    json.dump({"torch": torch.__version__, "transformers": transformers.__version__, "rows": rows}, sys.stdout, indent=1)
    print()


main()
