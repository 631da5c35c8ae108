"""Makes tiny/ (a random BART in the hub's layout) and scores.json (BARTScore's
own arithmetic on it, float32 on the CPU).

    pip install torch transformers tokenizers safetensors
    python make_bart.py
"""
import json
import os

import tokenizers
import torch
import transformers
from tokenizers import ByteLevelBPETokenizer
from tokenizers.processors import RobertaProcessing
from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "tiny")
TEXTS = [
    "The river rose after the rain, and the old bridge was closed.",
    "Der Fluss stieg nach dem Regen; die alte Brücke wurde gesperrt.",
    "He's paid $3.50 for 2 cups of coffee - didn't he?", "naïve café, 北京, 🙂 and tabs\tand\nlines",
    "a", "  leading and trailing  ", "The bridge closed.",
]


def main():
    os.makedirs(OUT, exist_ok=True)
    t = ByteLevelBPETokenizer()
    t.train_from_iterator(TEXTS * 20, vocab_size=330, min_frequency=2, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    t._tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    t.save(os.path.join(OUT, "tokenizer.json"))
    tok = PreTrainedTokenizerFast(tokenizer_file=os.path.join(OUT, "tokenizer.json"), bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>")
    torch.manual_seed(3)
    config = BartConfig(vocab_size=len(tok), d_model=24, encoder_layers=2, decoder_layers=3, encoder_attention_heads=4,
                        decoder_attention_heads=2, encoder_ffn_dim=40, decoder_ffn_dim=56, max_position_embeddings=48,
                        scale_embedding=True, init_std=0.3, dropout=0.0)
    model = BartForConditionalGeneration(config).eval()
    for name, p in model.named_parameters():  # so that no term is trivially nothing
        if name.endswith("bias") or "layer_norm" in name or "layernorm" in name:
            torch.nn.init.normal_(p, 1.0 if name.endswith("norm.weight") or name.endswith("embedding.weight") else 0.0, 0.2)
    model.final_logits_bias.normal_(0, 0.5)
    model.save_pretrained(OUT)
    for f in ("generation_config.json",):
        if os.path.exists(os.path.join(OUT, f)):
            os.remove(os.path.join(OUT, f))
    rows = []
    pairs = [(a, b) for a in TEXTS for b in TEXTS] + [(TEXTS[0] * 6, TEXTS[1] * 6)]
    for source, target in pairs:
        s = tok([source], max_length=48, truncation=True, return_tensors="pt")
        g = tok([target], max_length=48, truncation=True, return_tensors="pt")
        with torch.no_grad():
            logits = model(input_ids=s["input_ids"], attention_mask=s["attention_mask"], labels=g["input_ids"]).logits
        loss = torch.nn.functional.nll_loss(torch.log_softmax(logits, -1)[0].double(), g["input_ids"][0], reduction="sum")
        rows.append({"source": source, "target": target, "score": -loss.item() / g["attention_mask"].sum().item()})
    json.dump({"torch": torch.__version__, "transformers": transformers.__version__, "tokenizers": tokenizers.__version__, "rows": rows},
              open(os.path.join(HERE, "scores.json"), "w"), indent=1, ensure_ascii=False)


main()
