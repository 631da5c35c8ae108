"""The Gemma 3 text architecture in plain PyTorch, and its folder on disk.

Written from the architecture's description: RMSNorm with 1+w before and after
attention and MLP, query and key norms, grouped-query attention, rotary
positions with a local and a global base, every `sliding_window_pattern`-th
layer global and the others within a window, gated tanh-GELU, embeddings
scaled by sqrt(d), a tied head, no biases, no soft caps.
"""

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn

PAD, EOS, BOS, UNK = 0, 1, 2, 3


@dataclass
class Config:
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    vocab_size: int = 4096
    sliding_window: int = 64
    sliding_window_pattern: int = 3
    max_position_embeddings: int = 512
    rope_theta: float = 1e6
    rope_local_base_freq: float = 1e4
    rms_norm_eps: float = 1e-6

    def is_global(self, layer):
        return (layer + 1) % self.sliding_window_pattern == 0

    def hub(self):
        """config.json as the hub writes it for a Gemma 3 text model."""
        kinds = ["full_attention" if self.is_global(i) else "sliding_attention" for i in range(self.num_hidden_layers)]
        return {
            "architectures": ["Gemma3ForCausalLM"],
            "attention_bias": False,
            "attention_dropout": 0.0,
            "attn_logit_softcapping": None,
            "bos_token_id": BOS,
            "eos_token_id": EOS,
            "final_logit_softcapping": None,
            "head_dim": self.head_dim,
            "hidden_activation": "gelu_pytorch_tanh",
            "hidden_size": self.hidden_size,
            "initializer_range": 0.02,
            "intermediate_size": self.intermediate_size,
            "layer_types": kinds,
            "max_position_embeddings": self.max_position_embeddings,
            "model_type": "gemma3_text",
            "num_attention_heads": self.num_attention_heads,
            "num_hidden_layers": self.num_hidden_layers,
            "num_key_value_heads": self.num_key_value_heads,
            "pad_token_id": PAD,
            "query_pre_attn_scalar": self.head_dim,
            "rms_norm_eps": self.rms_norm_eps,
            "rope_local_base_freq": self.rope_local_base_freq,
            "rope_scaling": None,
            "rope_theta": self.rope_theta,
            "sliding_window": self.sliding_window,
            "sliding_window_pattern": self.sliding_window_pattern,
            "tie_word_embeddings": True,
            "torch_dtype": "bfloat16",
            "use_cache": True,
            "vocab_size": self.vocab_size,
        }


SIZES = {
    "tiny-student": Config(64, 192, 3, 2, 1, 32),
    "tiny-master": Config(192, 432, 6, 6, 2, 32),
}


class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x):
        x = x.float()
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * (1 + self.weight)


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.q_proj = nn.Linear(c.hidden_size, c.num_attention_heads * c.head_dim, bias=False)
        self.k_proj = nn.Linear(c.hidden_size, c.num_key_value_heads * c.head_dim, bias=False)
        self.v_proj = nn.Linear(c.hidden_size, c.num_key_value_heads * c.head_dim, bias=False)
        self.o_proj = nn.Linear(c.num_attention_heads * c.head_dim, c.hidden_size, bias=False)
        self.q_norm = Norm(c.head_dim, c.rms_norm_eps)
        self.k_norm = Norm(c.head_dim, c.rms_norm_eps)

    def forward(self, x, cos, sin, mask, use):
        c, (b, t, _) = self.c, x.shape
        q = self.q_norm(use(x, self.q_proj.weight).view(b, t, c.num_attention_heads, c.head_dim))
        k = self.k_norm(use(x, self.k_proj.weight).view(b, t, c.num_key_value_heads, c.head_dim))
        v = use(x, self.v_proj.weight).view(b, t, c.num_key_value_heads, c.head_dim).float()  # attention in float32: its bfloat16 backward is ten times slower here
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        times = c.num_attention_heads // c.num_key_value_heads
        k, v = k.repeat_interleave(times, 2), v.repeat_interleave(times, 2)
        y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=mask, is_causal=mask is None)
        return use(y.transpose(1, 2).reshape(b, t, -1), self.o_proj.weight)


class MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down_proj = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x, use):
        return use(F.gelu(use(x, self.gate_proj.weight), approximate="tanh") * use(x, self.up_proj.weight), self.down_proj.weight)


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        norm = lambda: Norm(c.hidden_size, c.rms_norm_eps)
        self.input_layernorm, self.post_attention_layernorm = norm(), norm()
        self.pre_feedforward_layernorm, self.post_feedforward_layernorm = norm(), norm()
        self.self_attn, self.mlp = Attention(c), MLP(c)

    def forward(self, x, cos, sin, mask, use):
        x = x + self.post_attention_layernorm(self.self_attn(self.input_layernorm(x), cos, sin, mask, use))
        return x + self.post_feedforward_layernorm(self.mlp(self.pre_feedforward_layernorm(x), use))


def exact(x, w):
    return F.linear(x, w)


def bf16(x, w):
    """Matrix product in bfloat16; the CPU's tiles add up in float32."""
    return F.linear(x.bfloat16(), w.bfloat16())


class Gemma3(nn.Module):
    def __init__(self, c, use=exact):
        super().__init__()
        self.c, self.use = c, use
        self.embed_tokens = nn.Embedding(c.vocab_size, c.hidden_size)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.num_hidden_layers))
        self.norm = Norm(c.hidden_size, c.rms_norm_eps)
        angle = lambda base: torch.outer(torch.arange(c.max_position_embeddings).float(), base ** (-torch.arange(0, c.head_dim, 2) / c.head_dim))
        for kind, base in (("local", c.rope_local_base_freq), ("global", c.rope_theta)):
            self.register_buffer("cos_" + kind, angle(base).cos()[:, None], persistent=False)
            self.register_buffer("sin_" + kind, angle(base).sin()[:, None], persistent=False)
        self.start()

    def start(self):
        for name, p in self.named_parameters():
            if p.dim() == 2:
                std = 1 / math.sqrt(p.shape[1])
                nn.init.normal_(p, std=std)
            if name.endswith("layernorm.weight") and "post_" in name:
                nn.init.constant_(p, 1 / math.sqrt(2 * self.c.num_hidden_layers) - 1)

    def hidden(self, ids):
        c, t = self.c, ids.shape[1]
        x = F.embedding(ids, self.embed_tokens.weight) * math.sqrt(c.hidden_size)
        window = None
        if t > c.sliding_window:
            i = torch.arange(t)
            gap = i[:, None] - i
            window = (gap >= 0) & (gap < c.sliding_window)
        for i, layer in enumerate(self.layers):
            if c.is_global(i):
                x = layer(x, self.cos_global[:t], self.sin_global[:t], None, self.use)
            else:
                x = layer(x, self.cos_local[:t], self.sin_local[:t], window, self.use)
        return self.norm(x)

    def forward(self, ids, at=None):
        """Logits at every position, or at flat positions `at` alone."""
        x = self.hidden(ids)
        if at is not None:
            x = x.reshape(-1, x.shape[-1])[at]
        return self.use(x, self.embed_tokens.weight).float()


def save(model, folder, tokenizer):
    """Writes the folder as the hub lays out a Gemma 3 text model."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {"model." + k: v.detach().bfloat16().contiguous() for k, v in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors.part", metadata={"format": "pt"})
    (folder / "model.safetensors.part").chmod(0o644)
    (folder / "model.safetensors.part").replace(folder / "model.safetensors")
    write = lambda name, value: (folder / name).write_text(json.dumps(value, indent=2) + "\n")
    write("config.json", model.c.hub())
    write("generation_config.json", {"bos_token_id": BOS, "do_sample": False, "eos_token_id": EOS, "pad_token_id": PAD})
    special = lambda content: {"content": content, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}
    write("tokenizer_config.json", {
        "add_bos_token": True,
        "add_eos_token": False,
        "added_tokens_decoder": {str(i): special(p) for i, p in enumerate(["<pad>", "<eos>", "<bos>", "<unk>"])},
        "bos_token": "<bos>",
        "clean_up_tokenization_spaces": False,
        "eos_token": "<eos>",
        "model_max_length": model.c.max_position_embeddings,
        "pad_token": "<pad>",
        "sp_model_kwargs": {},
        "spaces_between_special_tokens": False,
        "tokenizer_class": "GemmaTokenizer",
        "unk_token": "<unk>",
        "use_default_system_prompt": False,
    })
    if Path(tokenizer).resolve() != (folder / "tokenizer.model").resolve():
        shutil.copyfile(tokenizer, folder / "tokenizer.model")


def load(folder, use=exact):
    hub = json.loads(Path(folder, "config.json").read_text())
    c = Config(**{k: hub[k] for k in Config.__dataclass_fields__})
    model = Gemma3(c, use)
    weights = load_file(Path(folder, "model.safetensors"))
    model.load_state_dict({k.removeprefix("model."): v.float() for k, v in weights.items()})
    return model.eval()
