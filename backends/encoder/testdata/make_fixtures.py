# Writes the small encoders of this folder, random weights in the layouts the hub has, and what the reference makes of texts.
#   python make_fixtures.py                  -> bert/, distilbert/, mpnet/, expected.json
# Written with torch 2.15.0 (CPU, float32), transformers 5.23.0, sentence-transformers 6.2.0, tokenizers 0.23.3.
import json, os, shutil
import torch, transformers, sentence_transformers, tokenizers
from sentence_transformers import SentenceTransformer

here = os.path.dirname(os.path.abspath(__file__))
torch.set_num_threads(1); torch.manual_seed(5)
VERSIONS = dict(torch=torch.__version__, transformers=transformers.__version__, sentence_transformers=sentence_transformers.__version__)

def dump(path, x):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    json.dump(x, open(path, "w"), indent=1, ensure_ascii=False)

# --- small tokenizers: characters, some pieces
WORDS = "the movie is not very good but bad either a film of and to in it was this that for with as on at by an be are from you he she we they what all there one so up out if about who get which me when make can like time no just him know take people into year your some could them see other than then now look only come its over think also back after use two how our work first well way even new want because any these give day most us".split()
def vocabulary(special): return special + [c for c in "abcdefghijklmnopqrstuvwxyz0123456789.,!?'-()"] + ["##" + c for c in "abcdefghijklmnopqrstuvwxyz0123456789"] + WORDS + ["##ing", "##ed", "##er", "##s", "##ly"]
def unique(xs): return list(dict.fromkeys(xs))

def tokenizer(folder, special, cls, sep, unk, mask, mpnet):
    vocab = unique(vocabulary(special))
    open(f"{folder}/vocab.txt", "w").write("".join(v + "\n" for v in vocab))
    t = tokenizers.Tokenizer(tokenizers.models.WordPiece({v: i for i, v in enumerate(vocab)}, unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = tokenizers.normalizers.BertNormalizer(), tokenizers.pre_tokenizers.BertPreTokenizer()
    a, b = (cls, vocab.index(cls)), (sep, vocab.index(sep))
    t.post_processor = tokenizers.processors.RobertaProcessing(b, a) if mpnet else tokenizers.processors.TemplateProcessing(single=f"{cls} $A {sep}", pair=f"{cls} $A {sep} $B:1 {sep}:1", special_tokens=[a, b])
    t.add_special_tokens([tokenizers.AddedToken(s, lstrip=s == "<mask>", special=True) for s in special])
    t.save(f"{folder}/tokenizer.json")
    return vocab

def randomise(model):
    "Weights large enough that attention and activations leave their linear range."
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "norm" in name.lower(): p.add_(torch.randn_like(p) * 0.2)
            elif p.ndim == 1: p.copy_(torch.randn_like(p) * 0.3)
            else: p.copy_(torch.randn_like(p) * (2.5 / p.shape[1] ** 0.5 if "embeddings" not in name else 0.7))

def sentence(folder, kind, pooling, longest, normalise):
    modules = [dict(idx=0, name="0", path="", type="sentence_transformers.models.Transformer"), dict(idx=1, name="1", path="1_Pooling", type="sentence_transformers.models.Pooling")]
    if normalise: modules.append(dict(idx=2, name="2", path="2_Normalize", type="sentence_transformers.models.Normalize"))
    dump(f"{folder}/modules.json", modules)
    dump(f"{folder}/1_Pooling/config.json", {"word_embedding_dimension": 36, **{f"pooling_mode_{m}": m == pooling for m in ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens")}})
    dump(f"{folder}/sentence_bert_config.json", dict(max_seq_length=longest, do_lower_case=False))

BERTISH, MP = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"]
TEXTS = ["", "the", "the movie is not very good, but not bad either.", "A FILM of and to in it was!", "caf\u00e9 \u4e16\u754c na\u00efve \U0001F600", "[MASK] [SEP] <mask> </s>", "what time is it now? (12:30)",
    "know your way back to the new year " * 4, "people could see other people and then look only over there, because most days are like these two. " * 3, "zzz qqq " * 60, "it was " * 160]

def make(kind):
    folder = f"{here}/{kind}"; shutil.rmtree(folder, ignore_errors=True); os.makedirs(folder)
    if kind == "mpnet":
        vocab = tokenizer(folder, MP, "<s>", "</s>", "<unk>", "<mask>", True)
        config = transformers.MPNetConfig(vocab_size=len(vocab) + 3, hidden_size=36, num_hidden_layers=2, num_attention_heads=3, intermediate_size=50, max_position_embeddings=290, relative_attention_num_buckets=32, bos_token_id=0, pad_token_id=1, eos_token_id=2)
        model, cls = transformers.MPNetModel(config), "MPNetTokenizer"
        sentence(folder, kind, "mean_tokens", 280, True)
    elif kind == "distilbert":
        vocab = tokenizer(folder, BERTISH, "[CLS]", "[SEP]", "[UNK]", "[MASK]", False)
        config = transformers.DistilBertConfig(vocab_size=len(vocab), dim=36, n_layers=2, n_heads=3, hidden_dim=50, max_position_embeddings=64)
        model, cls = transformers.DistilBertModel(config), "DistilBertTokenizer"
        sentence(folder, kind, "max_tokens", 50, False)
    else:
        vocab = tokenizer(folder, BERTISH, "[CLS]", "[SEP]", "[UNK]", "[MASK]", False)
        config = transformers.BertConfig(vocab_size=len(vocab), hidden_size=36, num_hidden_layers=2, num_attention_heads=2, intermediate_size=50, max_position_embeddings=96)
        model, cls = transformers.BertModel(config), "BertTokenizer"
        sentence(folder, kind, "cls_token", 96, True)
    randomise(model)
    if kind == "mpnet": model.encoder.relative_attention_bias.weight.data.mul_(3)
    model = model.eval().to(torch.bfloat16).to(torch.float32)  # rounded, so that bfloat16 loses nothing
    saved = model.to(torch.bfloat16) if kind != "bert" else model
    saved.save_pretrained(folder)
    dump(f"{folder}/tokenizer_config.json", dict(tokenizer_class=cls, do_lower_case=True, model_max_length=512))
    c = json.load(open(f"{folder}/config.json")); c["dtype"] = c["torch_dtype"] = "float32"; dump(f"{folder}/config.json", c)
    s = SentenceTransformer(folder, device="cpu", model_kwargs=dict(torch_dtype=torch.float32))
    s = s.float()
    out = []
    for t in TEXTS:
        f = s.tokenize([t]); ids = f["input_ids"][0].tolist()
        with torch.no_grad():
            states = s[0].auto_model(**{k: v for k, v in f.items() if k in ("input_ids", "attention_mask", "token_type_ids")}).last_hidden_state[0]
        out.append(dict(ids=ids, last=[round(float(v), 6) for v in states[-1]], vector=[round(float(v), 7) for v in s.encode(t, normalize_embeddings=True)]))
    return out
expected = dict(VERSIONS, texts=TEXTS, models={k: make(k) for k in ("bert", "distilbert", "mpnet")})
b = transformers.models.mpnet.modeling_mpnet.MPNetEncoder.relative_position_bucket(torch.arange(-511, 512))
expected["buckets"] = b.tolist()
json.dump(expected, open(f"{here}/expected.json", "w"), separators=(",", ":"))
