# Trains the small tokenizers of this folder, writes the ids that the tokenizers library gives awkward strings, and the
# character classes it uses.
#   python make_fixtures.py DATA     (DATA holds sst2.jsonl.gz, wmt14.jsonl.gz, ...)
#       -> uncased.json, cased.json, mpnet.json (tokenizers), strings.json (ids), characters.json, ../classes.json
# Written with tokenizers 0.23.3.
import gzip, hashlib, json, os, random, struct, sys, unicodedata
import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

here, data = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]

def strings(x):
    "All strings of a JSON value: objects in order of their keys."
    if isinstance(x, str): yield x
    elif isinstance(x, list):
        for y in x: yield from strings(y)
    elif isinstance(x, dict):
        for k in sorted(x): yield from strings(x[k])

def texts(name, n):
    out = []
    for line in gzip.open(f"{data}/{name}.jsonl.gz", "rt", encoding="utf-8"):
        out += strings(json.loads(line))
        if len(out) >= n: break
    return out[:n]

# --- character classes
def classes():
    clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    accents = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    split = pre_tokenizers.BertPreTokenizer()
    got = dict(other=[], nonspacing=[], punctuation=[])
    for c in range(0x110000):
        if 0xD800 <= c < 0xE000: continue
        s = chr(c)
        if c not in (0, 0xFFFD) and clean.normalize_str(s) == "": got["other"].append(c)
        if accents.normalize_str(s) == "": got["nonspacing"].append(c)
        if [x for x, _ in split.pre_tokenize_str("a" + s + "b")] == ["a", s, "b"]: got["punctuation"].append(c)
    return got

def ranges(cs):
    out = []
    for c in cs:
        if out and out[-1][1] == c - 1 and not (out[-1][0] < 0x10000 <= c): out[-1][1] = c
        else: out.append([c, c])
    return out

json.dump(dict(tokenizers=tokenizers.__version__, **{name: ranges(cs) for name, cs in classes().items()}),
    open(f"{here}/../classes.json", "w"), separators=(",", ":"))

# What four normalisers make of every character of Unicode, in blocks of 256: SHA-256 over "code point in hex, four
# results\n". Left out: what Python's Unicode has not assigned, and U+11938, whose decomposition is newer than the library's.
def characters():
    kinds = [(True, False, False, False), (False, False, True, False), (False, False, False, True), (True, True, True, True)]
    ns = [normalizers.BertNormalizer(clean_text=c, handle_chinese_chars=h, strip_accents=a, lowercase=l) for c, h, a, l in kinds]
    blocks, missing = [], []
    for b in range(0x1100):
        m = hashlib.sha256()
        for r in range(b << 8, (b + 1) << 8):
            if unicodedata.category(chr(r)) in ("Cn", "Cs") or r == 0x11938: missing.append(r)
            else: m.update((f"{r:x} " + " ".join(n.normalize_str(chr(r)) for n in ns) + "\n").encode())
        blocks.append(m.hexdigest()[:8])
    return dict(blocks=" ".join(blocks), missing=ranges(missing))
json.dump(dict(tokenizers=tokenizers.__version__, unicode=unicodedata.unidata_version, **characters()), open(f"{here}/characters.json", "w"), separators=(",", ":"))

# --- small tokenizers
SP = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
corpus = [t for n in ("sst2", "wmt14", "emotion", "squad") for t in texts(n, 1500)]

def train(lower, size, special, unk):
    t = Tokenizer(models.WordPiece(unk_token=unk))
    t.normalizer = normalizers.BertNormalizer(lowercase=lower)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(corpus, trainers.WordPieceTrainer(vocab_size=size, special_tokens=special, show_progress=False, limit_alphabet=220))
    return t

def save(t, name):
    t.save(f"{here}/{name}.json", pretty=False)
    return Tokenizer.from_file(f"{here}/{name}.json")

uncased = train(True, 1500, SP, "[UNK]")
cls, sep = uncased.token_to_id("[CLS]"), uncased.token_to_id("[SEP]")
uncased.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)])

cased = train(False, 900, SP, "[UNK]")
cased.post_processor = processors.BertProcessing(("[SEP]", cased.token_to_id("[SEP]")), ("[CLS]", cased.token_to_id("[CLS]")))
cased.add_tokens([AddedToken("Naïve"), "<w"])

mpnet = train(True, 900, ["<s>", "<pad>", "</s>", "<unk>", "[UNK]"], "[UNK]")
mpnet.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
mpnet.post_processor = processors.RobertaProcessing(("</s>", mpnet.token_to_id("</s>")), ("<s>", mpnet.token_to_id("<s>")))
sets = dict(uncased=save(uncased, "uncased"), cased=save(cased, "cased"), mpnet=save(mpnet, "mpnet"))

# --- 500 awkward strings
rng = random.Random(11)
lines = ["", " ", "  ", "\t", "\n", "\r\n", "a", " a", "a ", "  a  b   c ", "[CLS]", "a[SEP]b", "a [MASK] b", "[mask]", "[UNK]", "[PAD][PAD]", "<s>", "</s>", "<mask>", "a  <mask>  b", "<MASK>", "<unk> <pad>",
    "caf\u00e9", "cafe\u0301", "CAF\u00c9", "na\u00efve", "Na\u00efve", "NA\u00cfVE", "\u00c5ngstr\u00f6m", "\u1e9b\u0323", "\u0130stanbul", "I\u0307", "\u0131", "STRA\u00dfE", "\u1e9e", "\u01c5", "\ufb01ne", "\u2126 \u212b \u212a", "\u03a3\u039f\u03a3 \u03c2",
    "\u4f60\u597d\uff0c\u4e16\u754c", "a\u4e2db", "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8", "\ud55c\uad6d\uc5b4 \ud14d\uc2a4\ud2b8", "\u1112\u1161\u11ab", "\U00020000x", "\U0002b830\U0002b920", "\uf900\uf901", "\U0002f800", "\u3007", "\u3400\u4dbf\u4dc0",
    "\u0645\u0631\u062d\u0628\u0627", "\u0645\u064e\u0631\u0652\u062d\u064e\u0628\u0627\u064b", "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd \u200f", "\u0939\u093f\u0928\u094d\u0926\u0940", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", "\u043f\u0440\u0438\u0432\u0435\u0442 \u0401\u0436", "Ti\u1ebfng Vi\u1ec7t",
    "\U0001F600", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\U0001F1E9\U0001F1EA", "\u2764\ufe0f", "a\u200bb", "a\u200db", "\ufeffBOM", "soft\u00adhyphen", "\x00", "a\x00b", "\x01\x7f\x80", "a\x0bb", "a\x0cb", "a\x85b", "\ufffd", "a\ufffdb", "\ufffe", "\ue000x", "\U000f0000", "\U000e0041",
    "a\u00a0b\u3000c\u2009d\u2028e\u2029f\u202fg\u205fh\u1680i", "\u202eright to left", "zero\u2060width", "\u180e", "!", "...", "a.b", "a,b;c:d", "don't", "U.S.A.", "$1,000.00", "50%", "a+b=c", "x^2", "`code`", "~/.x", "|pipe|", "<tag>", "a<b>c", "@user #tag", "e-mail@x.org", "http://example.org/a?b=c&d=e",
    "foo_bar-baz", "\u201cquoted\u201d \u2018text\u2019", "\u2014dash\u2013", "\u2026", "\u00ab\u00bb", "\u00bf\u00a1", "\u00a7\u00b6", "\u20ac\u00a3\u00a5", "\u00b0\u00b1", "\u2190\u2192", "\u2e43\u2e44", "\u166d", "\u05be", "1234567890", "\u0661\u0662\u0663", "\u2460\u2161", "\u00bd", "2nd 3rd",
    "A" * 100, "A" * 101, "a" * 99 + "\u00e9", "\u00e9" * 100, "\u00e9" * 101, "e\u0301" * 100, "e\u0301" * 101, "\u4e2d" * 101, "ab" * 60, "the" * 34, "un" * 55, ("word " * 60).strip(), "!" * 120, "a" + "\u0301" * 40 + "b", "\u0301", "\u0301a", "a\u0327\u0301", "a\u0301\u0327", "\u302e\u0301a",
    "<w", "<w>", "Na\u00efve Na\u00efve", "Nai\u0308ve", "[CLS] a [SEP] b [SEP]", "[SEP", "[[SEP]]", "[ SEP ]", "[\u00adSEP]"]
alphabet = list("etaoinshrdluETA     .,'-!\n\t") + ["\u00e9", "e\u0301", "\u00fc", "\u00df", "\u0130", "\U0001F600", "\u200f", "\u4e16", "\u0301", "the", " and", "ing ", "[SEP]", "<mask>", "[MASK]", "<s>", "\u00a0", "\u3002", "\u30ab", "\ud55c", "\u0300\u0327"]
while len(lines) < 400: lines.append("".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 50))))
words = [w for n in ("squad", "wmt14", "agnews") for t in texts(n, 2500) for w in t.split(" ")]
while len(lines) < 460: lines.append(" ".join(rng.choice(words) for _ in range(rng.randrange(1, 25))))
while len(lines) < 500:
    lines.append("".join(chr(rng.choice([rng.randrange(0x20, 0x250), rng.randrange(0x250, 0x3000), rng.randrange(0x3000, 0xD800), rng.randrange(0xE000, 0x10000), rng.randrange(0x10000, 0x20000)])) for _ in range(rng.randrange(1, 20))))
assert len(lines) == 500

LIMITS = [4, 5, 8, 13, 64]
out = dict(tokenizers=tokenizers.__version__, cases=[], pairs=[])
for t in sets.values(): t.no_truncation()
for s in lines:
    out["cases"].append(dict(text=s, **{n: t.encode(s, add_special_tokens=False).ids for n, t in sets.items()}))
for i in range(150):
    a, b, limit = rng.choice(lines), rng.choice(lines), rng.choice(LIMITS)
    case = dict(a=a, b=b, limit=limit)
    for n, t in sets.items():
        t.enable_truncation(limit); one, two = t.encode(a), t.encode(a, b); t.no_truncation()
        case[n] = dict(one=one.ids, one_types=one.type_ids, two=two.ids, two_types=two.type_ids)
    out["pairs"].append(case)
json.dump(out, open(f"{here}/strings.json", "w"), separators=(",", ":"))
