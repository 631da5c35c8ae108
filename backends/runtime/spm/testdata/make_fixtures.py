# Trains the small tokenizer of this folder and writes the ids the SentencePiece library gives awkward lines.
#   python make_fixtures.py DATA          (DATA holds sst2.jsonl.gz, wmt14.jsonl.gz, ...)  -> lines.json, and fallback.model where it is not there
# Written with sentencepiece 0.2.3.
import base64, gzip, hashlib, json, os, random, struct, sys, tempfile
import sentencepiece as spm
here, data = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
FILES = ["agnews", "emotion", "fakenews", "squad", "squad_systems", "sst2", "wmt14"]

def strings(x):
    "All strings of a JSON value: objects in order of their keys."
    if isinstance(x, str): yield x
    elif isinstance(x, list):
        for y in x: yield from strings(y)
    elif isinstance(x, dict):
        for k in sorted(x): yield from strings(x[k])

def texts(name):
    for line in gzip.open(f"{data}/{name}.jsonl.gz", "rt", encoding="utf-8"): yield from strings(json.loads(line))

if not os.path.exists(f"{here}/fallback.model"):  # the models hold the name of the file they were trained on: delete them to train anew
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        for n in ("sst2", "wmt14", "emotion"):
            for i, t in zip(range(6000), texts(n)): f.write(t.replace("\n", " ") + "\n")
        f.flush()
        common = dict(input=f.name, model_type="bpe", normalization_rule_name="identity", minloglevel=2, num_threads=1)
        spm.SentencePieceTrainer.train(model_prefix=f"{here}/fallback", vocab_size=1200, byte_fallback=True, add_dummy_prefix=False, remove_extra_whitespaces=False, character_coverage=0.999,
            pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", eos_piece="<eos>", bos_piece="<bos>", user_defined_symbols=["\n", "\u2581\u2581", "\u2581\u2581\u2581\u2581", "<start_of_turn>", "<end_of_turn>"], **common)
    os.remove(f"{here}/fallback.vocab")

rng = random.Random(7)
lines = ["", " ", "  ", "   ", "     ", "\t", "\n", "\n\n", " \n ", "a", " a", "a ", "  a  b   c    d     e      ", "\u2581", "\u2581\u2581", " \u2581 a\u2581b", "<bos>", "a<bos>b", "<eos></s><s><unk><pad>", "<0x41>", "<0xE2><0x96>", "<ctl>",
    "x<ctl>y", "<sep>", "a<sep>b<sep>xx<sep", "<start_of_turn>user\nhi<end_of_turn>\n", "caf\u00e9", "cafe\u0301", "na\u00efve \u00e9\u00e8\u00ea", "\u05e9\u05dc\u05d5\u05dd \u200f\u05e2\u05d5\u05dc\u05dd\u200e", "\u0645\u0631\u062d\u0628\u0627", "\U0001F600", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\u4f60\u597d\uff0c\u4e16\u754c",
    "\ufeffBOM", "a\u00a0b\u3000c\u2009d", "\r\n", "line\r\nline", "\x00", "a\x00b", "\x01\x7f\x80", "\ufffd", "\ufffe", "zero\u200bwidth", "\u202eright to left", "A" * 300, "ab" * 150, " " * 33, " a" * 40, "the" * 40, "\n" * 9, "Gr\u00fc\u00dfe aus M\u00fcnchen", "STRA\u00dfE", "\u01c5 \ufb01 \u2126",
    "1234567890", "3.14159", "$1,000.00", "http://example.org/a?b=c&d=e", "foo_bar-baz", "\"quoted\" 'text'", "(parentheses) [brackets] {braces}", "!!!???...", "the movie is not very good , but not bad either .", "Der schnelle braune Fuchs springt \u00fcber den faulen Hund."]
alphabet = list("etaoinshrdlu    .,\n\t") + ["\u2581", "  ", "the", " and", "\u00fc", "\u00df", "\U0001F600", "\u200f", "\u4e16", "<bos>", "<sep>", "</s>", "<0x0A>", "\u0301", "ing "]
for i in range(280): lines.append("".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 60))))
pool = [t for n in ("squad", "wmt14", "agnews") for _, t in zip(range(3000), texts(n))]
words = [w for t in pool for w in t.split(" ")]
for i in range(180): lines.append(" ".join(rng.choice(words) for _ in range(rng.randrange(1, 12))))
raw = [t.encode("utf-8") for t in lines] + [b"\xff", b"a\xffb", b"\xc3", b"\xe2\x96", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\x80\x81", b"ok \xe2\x82 ok"]
out = dict(sentencepiece=spm.__version__, cases=[])
sps = {n: spm.SentencePieceProcessor(model_file=f"{here}/{n}.model") for n in ("fallback",)}
for b in raw:
    c = dict(text=base64.b64encode(b).decode())
    for n, sp in sps.items(): c[n] = sp.encode(b, out_type=int); c[n + "_decoded"] = sp.decode(c[n])
    out["cases"].append(c)
# decoding sequences no encoder gives
out["decode"] = []
for i in range(120):
    d = {}
    for n, sp in sps.items(): ids = [rng.choice([rng.randrange(sp.vocab_size()), rng.randrange(min(300, sp.vocab_size()))]) for _ in range(rng.randrange(1, 9))]; d[n] = ids; d[n + "_decoded"] = sp.decode(ids)
    out["decode"].append(d)
json.dump(out, open(f"{here}/lines.json", "w"), separators=(",", ":"))
