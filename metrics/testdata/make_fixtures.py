"""Writes the expected values that the tests of package metrics compare with.

    pip install nltk==3.10.4 rouge-score==0.1.2 sacrebleu==2.6.0 \
                scikit-learn==1.9.1 torchmetrics
    python make_fixtures.py

All words and sentences are made here, from a fixed seed.
"""
import gzip, json, os, random, re
from importlib.metadata import version

import numpy as np
from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer, tokenize
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sklearn.metrics import accuracy_score, precision_recall_fscore_support
from torchmetrics.functional.text import squad
from torchmetrics.functional.text.squad import _normalize_text

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = {p: version(p) for p in ("nltk", "rouge-score", "sacrebleu", "scikit-learn", "torchmetrics")}
STEMMER = PorterStemmer()


def write(name, text):
    with open(os.path.join(HERE, name), "wb") as raw:
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=9) as z:
            z.write(text.encode("utf-8"))


def stems():
    roots = """act adapt add agree aggress alli analog angl apolog archaeolog argu arriv attend bat beauti bel bib
        bibli blam bless bow boy bubbl buzz call can cand carr ceas cheer chopp class clos comb commun complet condit
        conform confus connect consol control cop cri critic cycl danc decid defens depend die digit direct dis diss
        dry dy echo econom ed eed eel electr employ enjoy eth exceed fail fall fee feed feud fil final fizz flatt
        flee fli flow fool form formal free fry full gas gen geolog goggl good govern graph happ hat help hesit hiss
        hop hope howe hypn inn ident ing irr just kiss know label lay lie log lov ly magnet man map mark mat mel
        merr mil mix model motor music myst nation need neg new normal not oper opt orator out outing oxid pan pay
        perfect phil pin plan plast play pol poss pra predic prefer pric probat proceed psycholog publ quiz radic
        rag rate real rec relat repl rev rid roll sad saf sanit satir say see sens separ shin sing sit siz skate sky
        sli snow soci speci spy stat stay stem stray stud styl suburb succeed suff syzyg sympath tan teas temp theo
        theolog tie toy trad tri troubl tty try typ vac val vari viet vil vis voy wax wed weigh will wis wolv xylem
        y yacht yell yes yy yyy zeal zinc zoo""".split()
    ends = """ a able abli ably al alism aliti alize alli ally ance anci ant ate ated ates ating ation ational ations
        ative ator ators bili biliti bl bled bles bli bly ed eed eeds eli ely ement ence enci ency ent entli ently er
        ers es est ful fulli fully fulness ibilities ible ic ical icate iciti ied ier ies ily iness ing ingly ings ion
        ional ions ish ism ist iti ities ity ive iveness iviti ivity ization ize ized izer izers izes izing l led
        ling ll lling log logi logy ly ment ments ness nesses ou ous ously ousli ousness s sses ss tional ying y
        yed""".split(" ")
    words = {r + e.strip() for r in roots for e in ends}
    # Half by chance: the rules meet letters no English word puts together.
    rng = random.Random(7)
    for _ in range(3000):
        w = "".join(rng.choice("aeiouybcdlstz") for _ in range(rng.randint(1, 6))) + rng.choice(ends).strip()
        words.add(w)
    for _ in range(200):
        words.add("".join(rng.choice("aeiou019xyzl") for _ in range(rng.randint(1, 9))))
    words = sorted(w for w in words if w)
    rng.shuffle(words)
    keep = sorted(words[:9000] + "skies sky dying lying tying news innings inning outings outing cannings canning howe proceed exceed succeed spied died flies".split())
    write("stems.tsv.gz", f"# nltk {VERSIONS['nltk']} PorterStemmer(mode=NLTK_EXTENSIONS)\n" + "".join(f"{w}\t{STEMMER.stem(w)}\n" for w in dict.fromkeys(keep)))


AWKWARD = [
    ("", ["a reference"]), ("an answer", [""]), ("", [""]), (" \t\n", ["the"]), ("the", ["a"]), ("The", ["the the"]),
    ("x", ["x"]), ("x", ["y"]), ("42", ["42"]), ("1,000.50", ["1,000.50"]), ("1,000", ["1000"]), ("3.5%", ["3.5 percent"]),
    ("state-of-the-art", ["state of the art"]), ("1990-1995", ["1990 - 1995"]), ("-5", ["5"]), ("don't stop", ["do not stop"]),
    ("Müller fährt nach Köln.", ["Mueller faehrt nach Koeln.", "Müller fährt nach Köln!"]), ("İstanbul", ["istanbul", "İSTANBUL"]),
    ("ΟΔΟΣ ΣΟΦΟΣ Σ", ["οδος σοφος σ", "οδοσ"]), ("ΑΣ. ΣΑ'Σ Σ́Α ΑΣ́", ["ας. σα'ς"]), ("K Å ſ ẞ ß", ["k å s ss ß"]), ("日本語のテキスト", ["日本語 テキスト", "日本"]),
    ("a\u00a0b\u2009c\u3000d", ["a b c d"]), ("a\x1cb\x1dc\x1ed\x1fe", ["a b c d e"]), ("the\u0301 the·an_a a1 théa", ["the", "an a"]),
    ("½ a½ ² a² Ⅷ the Ⅷ", ["½", "²"]), ("a—the—an", ["—", "a the"]), ("“the” ‘quotes’", ["the quotes"]), ("emoji 👍🏽 the 👍🏽", ["emoji 👍🏽"]),
    ("He said &quot;yes&quot; &amp;lt; &lt;b&gt;", ["He said \"yes\" < <b>"]), ("<skipped> end-\nofline and\nmore", ["endofline and more"]),
    ("a.b 1.2 .3 4. 5,6 ,7 8, x,y", ["a . b 1.2 . 3 4 . 5,6"]), ("...,,,", ["..."]), ("U.S.A. vs. e.g. Mr. X", ["U.S.A. versus for example Mr X"]),
    ("$5 <= 6^7 `a` ~b~ |c| [d] {e} \\f @g #h *i* +j =k", ["5 6 7 a b c d e f g h i j k"]), ("2-3 a-b 4-", ["2 - 3 a-b 4 -"]),
    ("one two three", ["one two three"]), ("one two three four", ["one two three four", "one two"]), ("one", ["one two three four five"]),
    ("one two", ["one two three four", "one", "one two three"]), ("generously generalised formalities", ["generous generalization formal"]),
    ("running runner ran flies dying skies", ["run runs running fly die sky"]), ("ab", ["abcdefgh"]), ("abcdefgh", ["ab"]), ("\u0085a\u0085", ["a"]), ("the² a1 1a ²the an½ a\u0301 théa the日", ["² 1a"]), ("a_the_an a-the the/an an", ["athean"]),
    ("tail \r\n", ["tail"]), ("x" * 150, ["x" * 149]), ("w " * 70 + "end", ["w " * 130 + "end"]), (" ".join(f"t{i % 37}" for i in range(200)), [" ".join(f"t{i % 41}" for i in range(190))]),
]


def made_up():
    rng = random.Random(11)
    who = ["The old baker", "a nurse", "Dr. O'Neill", "Two students", "My sister-in-law", "the committee", "Frau Größler", "André"]
    did = ["was quietly repairing", "has never liked", "sold", "organises", "had been describing", "buys", "carried", "regretted losing"]
    what = ["a blue bicycle", "3 bicycles", "the well-known theories", "an expensive 12.5-inch radio", "some memories", "half of the cakes", "its policies", "1,250 tickets"]
    tail = ["in May 2019", "for $4.50 each", "without any hesitation", "near the railway station", "(again)", "— or so they say", "at 7:30 p.m.", "und fuhr nach Österreich"]
    out = []
    for _ in range(300):
        parts = [rng.choice(x) for x in (who, did, what, tail)]
        answer = list(parts)
        for i, pool in enumerate((who, did, what, tail)):
            if rng.random() < 0.4:
                answer[i] = rng.choice(pool)
        if rng.random() < 0.25:
            rng.shuffle(answer)
        if rng.random() < 0.2:
            answer = answer[: rng.randint(1, 3)]
        refs = [" ".join(parts) + "."]
        for _ in range(rng.choice([0, 0, 1, 2])):
            refs.append(" ".join([rng.choice(who), parts[1], parts[2], rng.choice(tail)]) + rng.choice([".", "!", "?", ""]))
        out.append((" ".join(answer) + rng.choice([".", "", " ."]), refs))
    return out


def texts():
    rouge = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    tok13a, bleu1, chrf, bleu = Tokenizer13a(), BLEU(effective_order=True), CHRF(), BLEU()
    cases, pairs = [], AWKWARD + made_up()
    for i, (a, refs) in enumerate(pairs):
        r = rouge.score_multi(refs, a)
        q = squad([{"prediction_text": a, "id": "x"}], [{"answers": {"answer_start": [0] * len(refs), "text": refs}, "id": "x"}])
        cases.append({
            "answer": a, "references": refs,
            "rouge1": r["rouge1"].fmeasure, "rouge2": r["rouge2"].fmeasure, "rougeL": r["rougeL"].fmeasure,
            "rougeLFirst": rouge.score(refs[0], a)["rougeL"].fmeasure,
            "rougeTokens": tokenize.tokenize(a, STEMMER), "tokens13a": tok13a(a.rstrip()).split(),
            "bleu": bleu1.sentence_score(a, refs).score, "chrf": chrf.sentence_score(a, refs).score,
            "squad": _normalize_text(a),
            "exact": float(q["exact_match"]) / 100, "tokenF1": float(q["f1"]) / 100,
        })
    corpora = []
    for first, last in ((0, len(AWKWARD)), (len(AWKWARD), len(pairs)), (0, len(pairs)), (2, 3), (36, 38)):
        part = pairs[first:last]
        width = max(len(r) for _, r in part)
        columns = [[r[j] if j < len(r) else None for _, r in part] for j in range(width)]
        answers = [a for a, _ in part]
        corpora.append({"first": first, "last": last, "bleu": bleu.corpus_score(answers, columns).score, "chrf": chrf.corpus_score(answers, columns).score})
    bleu.corpus_score(["a"], [["a"]]); chrf.corpus_score(["a"], [["a"]])
    write("texts.json.gz", json.dumps({"versions": VERSIONS, "signatures": [str(bleu.get_signature()), str(chrf.get_signature())], "cases": cases, "corpora": corpora}, ensure_ascii=True, indent=0))


def classes():
    rng, out = np.random.default_rng(3), []
    shapes = [(2, 40, 0.8), (2, 1, 0.5), (3, 12, 0.4), (5, 200, 0.6), (6, 30, 0.5), (4, 8, 0.1), (3, 5, 1.0)]
    for k, n, right in shapes * 3:
        truth = rng.integers(0, k, n)
        pred = np.where(rng.random(n) < right, truth, rng.integers(0, k, n))
        if rng.random() < 0.4:
            pred = np.minimum(pred, k - 2)
        if rng.random() < 0.3:
            truth = np.maximum(truth, 1)
        case = {"k": k, "truth": truth.tolist(), "pred": pred.tolist(), "accuracy": accuracy_score(truth, pred), "scores": []}
        for average in ("macro", "micro", "weighted", "binary"):
            if average == "binary" and k != 2:
                continue
            for zero in (0.0, 1.0):
                labels = None
                p, r, f, _ = precision_recall_fscore_support(truth, pred, average=average, zero_division=zero, labels=labels)
                case["scores"].append({"average": average, "zero": zero, "all": False, "precision": p, "recall": r, "f1": f})
                if average != "binary":
                    p, r, f, _ = precision_recall_fscore_support(truth, pred, average=average, zero_division=zero, labels=range(k))
                    case["scores"].append({"average": average, "zero": zero, "all": True, "precision": p, "recall": r, "f1": f})
        out.append(case)
    write("classes.json.gz", json.dumps({"versions": VERSIONS, "cases": out}))


if __name__ == "__main__":
    stems(), texts(), classes()
