# Makes the tokenizers and the expected ids and texts of this package's tests.
#   python make_fixtures.py
# Written with tokenizers 0.23.3. The tokenizers are trained here on the lines below, in the formats of
# the published ones (steps, patterns, flags, special tokens). Runs of more than 30 combining marks are left out: golang.org/x/text breaks them up.
import base64, json, os, random
import tokenizers
from tokenizers import Tokenizer, AddedToken, Regex, models, trainers, pre_tokenizers, normalizers, decoders, processors
here = os.path.dirname(os.path.abspath(__file__))

CORPUS = """The film is good and the plot is bad, but don't say I'll never watch it again: we've seen worse.
What's the answer? Blue or red? THE ANSWER'S 42, and 1,234,567 isn't. It's 3.14159 or 2/3 of 10^9.
def main(argc, argv):\n    if argc > 1:\n        return argv[1].strip()\n\n    print("hello, world")  # comment
Die alte Straße ist schön; L'été était très chaud à Genève. El niño comió piñas. Příliš žluťoučký kůň.
Москва — столица России. Это хорошо. Η Ελλάδα είναι όμορφη. السلام عليكم ورحمة الله. שלום עולם.
今天天气很好，我们去公园吧。東京は日本の首都です。안녕하세요 세계. नमस्ते दुनिया। ภาษาไทยไม่มีเว้นวรรค
Emoji: 😀 😃 👍🏽 👨‍👩‍👧‍👦 ❤️ 🇩🇪 — “quotes” ‘single’ … • → ≤ ≥ ∑ √ ½ ² Ⅷ ①
camelCase HTTPServer snake_case kebab-case XMLHttpRequest iPhone McDonald https://example.org/a/b?c=d&e=f#g user@mail.example
Review: a wonderful story. Sentiment: positive. Review: a dull story. Sentiment: negative. Question: who? Answer: them.""".split("\n") * 8

QWEN = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
TEKKEN = r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"""

def trained(pre, size, first=(), normalizer=None):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre; t.decoder = decoders.ByteLevel()
    if normalizer: t.normalizer = normalizer
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=list(first), show_progress=False))
    return t

def split(pattern): return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])

def special(t, *names): t.add_special_tokens([AddedToken(n, special=True, normalized=False) for n in names])

def qwen3():
    t = trained(split(QWEN), 560, normalizer=normalizers.NFC())
    special(t, "<|endoftext|>", "<|im_start|>", "<|im_end|>")
    t.add_tokens([AddedToken(n, normalized=False, special=False) for n in ("<tool_call>", "</tool_call>", "<think>", "</think>")])
    t.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    return t

def tekken():
    t = trained(split(TEKKEN), 600, first=["<unk>", "<s>", "</s>", "[INST]", "[/INST]"])
    t.model.ignore_merges = True
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A $B:1", special_tokens=[("<s>", 1)])
    return t

def bart():
    t = trained(pre_tokenizers.ByteLevel(add_prefix_space=False), 520, first=["<s>", "<pad>", "</s>", "<unk>"])
    t.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True, normalized=True)])
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    return t

def awkward():
    out = ["", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\t", "\t\t x", " \n", "\n ", " \n \n ", "a\n\n\nb", "a \n\n b", "a\t\n b", "\u00a0", "a\u00a0b", "a\u00a0\u00a0b", "\u2003x", "\u3000全角", "\u200b", "a\u200bb", "\ufeff", "\ufeffBOM", "\x00", "a\x00b", "\x7f", "\x85x", "\u2028x\u2029", "\x0b\x0c", "\x1c\x1d\x1e\x1f x",
        "a", "A", "é", "e\u0301", "E\u0301a", "\u0301", " \u0301x", "x\u0301\u0302\u0303", "\u1e9b\u0323", "\u212b", "\u2126", "\u0344", "가", "\u1100\u1161\u11a8", "a\u0328\u0301", "a\u0301\u0328", "q\u0307\u0323", "ﬁ", "ﬆ", "ǅ", "ǅenan", "ŉ", "ß", "ẞ", "İ", "ıI", "ſ", "'ſ", "it'ſ", "K",
        "'s", "'S", "'T", "'re", "'RE", "'Re", "'rE", "'ve", "'VE", "'m", "'ll", "'lL", "'l", "'r", "'v", "'d", "'D'd", "don't", "DON'T", "I'll", "I'LLx", "we'vex", "''s", "' s", "'", "''", "'''", "\u2019s", "it\u2019s", "rock 'n' roll", "'sx", "'tis", "o'clock", "'1", " 's", "a's's",
        "0", "1", "12", "123", "1234", "12345", "1234567890", "1 2 3", "1,234", "3.14", "½", "²³", "Ⅷ", "①②③④", "٣٤٥٦", "१२३४", "𝟘𝟙𝟚𝟛", " 12", "  12", "a1b2", "1a", "x²", "10^9",
        "hello world", " hello", "hello ", "  hello  world  ", "Hello, World!", "HELLO", "helloWorld", "HelloWorld", "HTTPServer", "aBC", "aBCd", "ABCd", "ABcD", "iOS", "XMLHttpRequest2", "e.g.", "U.S.A.", "foo_bar", "__init__", "--flag", "->", "=>", "!==", "//", "///", "a/b/c", "http://x.y/z", "path/\n", "/\n/", "…", "...", "....", "!!!", "!?!?", "$100", "100%", "#tag", "@me", "a@b.c", "(x)", "[y]", "{z}", "\\n", "\\", "\"q\"", "«x»", "—", "a—b", " — ", "-\n", ";\n\n", ";\r\n", ")\n\n\n x", "!\r\r\n",
        "Straße", "naïve", "Москва", "МОСКВА", "москва-река", "ΑΒΓ αβγ", "Ελλάδα", "Příliš", "السلام عليكم", "שָׁלוֹם", "नमस्ते", "ภาษาไทย", "今天天气", "東京です", "ひらがなカタカナ", "안녕 세계", "ʰello", "aʰB", "Aªb", "中A文b", "A中b", "中文ABC", "ABC中文", "a\u0300B", "A\u0300b", "\u0300Ab", "-\u0300Ab", "ǆx", "Ǆx", "ꙁ", "𐐀𐐨", "𝒜𝒷", "𠀀", "\U0010ffff", "\ue000", "\ufffd", "\U000e0001", "\u202e\u202d", "\u200f\u200e", "\u061c",
        "😀", "😀😃", " 😀", "a😀b", "👍🏽", "👨‍👩‍👧‍👦", "❤️", "🇩🇪🇫🇷", "1️⃣", "☃", "\ufe0f", "\u200d", "😀\n", "🤷🏽‍♀️'s",
        "a" * 40, "a" * 60, "ab" * 30, " " * 17, " " * 50 + "x", "\n" * 9, "=" * 40, "-" * 33 + "\n", "é" * 30, "中" * 30, "😀" * 12, "1" * 25, "aA" * 20, "the the the the", "x" + "\u0301" * 12,
        "<s>", "</s>", "<unk>", "<mask>", "a <mask>", "a  <mask>  b", "<mask><mask>", "\n<mask>", "<bos>", "<eos>", "<pad>", "<start_of_turn>user\nhi<end_of_turn>\n", "<|im_start|>user\nhi<|im_end|>\n", "<|im_start|>", "<|im_start", "<|im_end|> x", "x<|endoftext|>y", " <|endoftext|> ", "<|endoftext|><|endoftext|>", "<think>\n\n</think>\n\n", "<think>x", "<tool_call>{}</tool_call>", "<|begin_of_text|>x", "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>", "[INST] hi [/INST]", "[INST]", "a</s>b", "<0x41>", "<0xE2>x", "\u2581", "a\u2581b", "\u2581\u2581", "Ġ", "Ġthe", "Ċ", "âĢ",
        "word", "a word", "words", "sword", "word-word", "word_", "wordé", "éword", "word word", "wordword", "(word)", "café", "cafe\u0301", "CAFÉ", "xcaféx", "cafes", "a<r>  b", "<r>", "<r>\n\n", "a  <both>  b", "<both>", " <both><both> ", "<bothers>", "a <bothers> b", "<both ers>", "<both>ers>"]
    rng = random.Random(7)
    bits = [" ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "the", "The", "THE", "film", "don't", "I'LL", "'s", "42", "2026", "7", "½", "é", "e\u0301", "ß", "ж", "Ω", "中", "文", "अ", "ा", "ก", "ั", "س", "한", "😀", "🏽", "\u200d", ".", ",", "!?", "(", ")", "/", "//", "_", "-", "'", "\"", "…", "<s>", "<mask>", "<|im_end|>", "<think>", "<r>", "<both>", "word", "camelCase", "XMLHttp", "ǅ", "ʰ", "\u0301", "²", "\u2581", "x", "Zz", "ing", "\u3000"]
    while len(out) < 520: out.append("".join(rng.choice(bits) for _ in range(rng.randint(2, 14))))
    return out

def sequences(n):
    rng = random.Random(n)
    return [[rng.randrange(n) for _ in range(rng.randint(1, 12))] for _ in range(120)]

makers = dict(qwen3=qwen3, tekken=tekken, bart=bart)
texts = awkward()
expected = dict(tokenizers=tokenizers.__version__, texts=[base64.b64encode(t.encode()).decode() for t in texts], files={})
for name, make in makers.items():
    t = make(); t.save(f"{here}/{name}.json")
    if name in ("bart", "tekken"):  # merges as files before 2024 write them: "a b"
        d = json.load(open(f"{here}/{name}.json")); d["model"]["merges"] = [" ".join(m) for m in d["model"]["merges"]]
        json.dump(d, open(f"{here}/{name}.json", "w"), ensure_ascii=False, separators=(",", ":"))
    else:
        d = json.load(open(f"{here}/{name}.json")); json.dump(d, open(f"{here}/{name}.json", "w"), ensure_ascii=False, separators=(",", ":"))
    t = Tokenizer.from_file(f"{here}/{name}.json")
    ids = [t.encode(x, add_special_tokens=False).ids for x in texts]
    whole = t.encode("x").ids; plain = t.encode("x", add_special_tokens=False).ids
    at = next(i for i in range(len(whole)) if whole[i:i + len(plain)] == plain)
    n = t.get_vocab_size(); seqs = sequences(n)
    expected["files"][name] = dict(ids=ids, decoded=[t.decode(i) for i in ids], before=whole[:at], after=whole[at + len(plain):], sequences=seqs, sequences_decoded=[t.decode(s) for s in seqs])
json.dump(expected, open(f"{here}/expected.json", "w"), separators=(",", ":"))
