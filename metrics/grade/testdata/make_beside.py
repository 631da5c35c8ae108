"""What other graders say of recorded replies of nine models: 1 = right, one digit a reply, in the order of the files.

    pip install lm-eval==0.4.13 math-verify==0.9.0 'latex2sympy2_extended[antlr4_13_2]' regex numpy
    python make_beside.py ANSWERS ROUTERARENA SIMPLE_EVALS > beside.json

ANSWERS holds questions.SET.jsonl.gz and answers.SET.MODEL.jsonl.gz; the others are checkouts of RouteWorks/RouterArena
(4714a9a) and openai/simple-evals (ee3b031), read and not copied. References are those of TestBesideOtherGraders: GSM8K,
the number that most replies graded right state; MMLU, the letter of a reply graded right; else the shortest reply graded
right, of 30 bytes at most. A question without one is left out: -.
"""
import ast
import collections
import glob
import gzip
import importlib.util
import json
import logging
import os
import re
import string
import sys
import types
from fractions import Fraction
from unittest import mock

answers, arena, simple = sys.argv[1:]
logging.disable(logging.CRITICAL)


def rows(path):
    with gzip.open(path, "rt") as f:
        return [json.loads(line) for line in f]


def functions(path, names):
    """The functions of a file whose other imports are not wanted."""
    with open(path) as f:
        tree = ast.parse(f.read())
    tree.body = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.Assign)) and
                 (getattr(n, "name", None) in names or getattr(n, "targets", [None])[0] is not None and
                  getattr(n.targets[0], "id", "") in names)]
    space = {"re": re, "string": string, "Optional": None}
    exec(compile(tree, path, "exec"), space)
    return [space[n] for n in names]


for name in ("jieba", "fuzzywuzzy", "fuzzywuzzy.fuzz", "rouge"):
    sys.modules[name] = mock.MagicMock()
sys.modules["latex2sympy2"] = types.SimpleNamespace(latex2sympy=importlib.import_module("latex2sympy2_extended").latex2sympy)
sys.path.insert(0, os.path.join(arena, "llm_evaluation"))
arena_metrics = importlib.import_module("metrics")
parse_answer, score_mgsm = functions(f"{simple}/mgsm_eval.py", ["parse_answer", "score_mgsm"])
normalize, fuzzy_match = functions(f"{simple}/drop_eval.py", ["normalize", "fuzzy_match"])
fuzzy_match.__globals__["normalize"] = normalize
(letter_pattern,) = functions(f"{simple}/common.py", ["ANSWER_PATTERN_MULTICHOICE"])
# lm_eval/filters/extraction.py alone: the package loads torch
api = {n: types.ModuleType(n) for n in ("lm_eval", "lm_eval.api", "lm_eval.api.filter", "lm_eval.api.registry")}
api["lm_eval.api.filter"].Filter = object
api["lm_eval.api.registry"].register_filter = lambda name: lambda c: c
place = next(os.path.join(p, "lm_eval/filters/extraction.py") for p in sys.path if os.path.exists(os.path.join(p, "lm_eval/filters")))
sys.modules.update(api)
spec = importlib.util.spec_from_file_location("extraction", place)
extraction = importlib.util.module_from_spec(spec)
spec.loader.exec_module(extraction)
from math_verify import parse, verify  # noqa: E402


def harness_exact(said, reference):
    """exact_match of lm_eval's gsm8k.yaml: these expressions are dropped from both."""
    for drop in (",", r"\$", r"(?s).*#### ", r"\.$"):
        said, reference = re.sub(drop, "", said), re.sub(drop, "", reference)
    return said.lower() == reference.lower()


def harness_words(said, reference):
    """exact_match of lm_eval's triviaqa: letter case and punctuation are dropped, white space around is."""
    bare = str.maketrans("", "", string.punctuation)
    return said.strip().lower().translate(bare) == reference.lower().translate(bare)


strict = extraction.RegexFilter(r"#### (\-?[0-9\.\,]+)")
flexible = extraction.RegexFilter(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", -1)
choices = extraction.MultiChoiceRegexFilter(r"(\([A-Z]\))", ignore_case=True, ignore_punctuation=True)


def filtered(f, text, **doc):
    return f.apply([[text]], [doc])[0][0]


def quiet(call):
    with open(os.devnull, "w") as nowhere, mock.patch("sys.stdout", nowhere):
        return call()[0] == 1


graders = {
    "gsm8k": {
        "lm-eval strict": lambda t, r, q: harness_exact(filtered(strict, t), r),
        "lm-eval flexible": lambda t, r, q: harness_exact(filtered(flexible, t), r),
        "simple-evals MGSM": lambda t, r, q: score_mgsm(r, parse_answer(t, "####")),
        "RouterArena math": lambda t, r, q: quiet(lambda: arena_metrics.math_metric(t, r)),
        "math-verify": lambda t, r, q: verify(parse(f"${r}$"), parse(t)),
    },
    "mmlu": {
        "RouterArena choice": lambda t, r, q: quiet(lambda: arena_metrics.mcq_accuracy(t, r)),
        # the prompt ended with this word
        "simple-evals choice": lambda t, r, q: (re.findall(letter_pattern, "Answer: " + t) or [""])[0].upper() == r,
        "lm-eval choice": None,  # all at once: each call of theirs takes a moment
    },
    "triviaqa": {"lm-eval exact": lambda t, r, q: harness_words(t, r), "simple-evals fuzzy": lambda t, r, q: fuzzy_match(t, r)},
    "truthfulqa": {"lm-eval exact": lambda t, r, q: harness_words(t, r), "simple-evals fuzzy": lambda t, r, q: fuzzy_match(t, r)},
}


def number(text):
    """The number after the last mark, as it is written without $, commas and zeros behind; None = none."""
    m = re.findall(r"####[ *]*\$?(-?[0-9,]+(?:\.[0-9]+)?)[ *.]*(?:\n|$)", text)
    return str(Fraction(m[-1].replace(",", ""))) if m else None


def references(name, replies):
    out = []
    for at in zip(*replies.values()):
        right = [a["text"] for a in at if a["correct"]]
        if name == "gsm8k":
            said = collections.Counter(n for n in map(number, right) if n)
            most = [n for n in said if said[n] == max(said.values())]
            out.append(most[0] if len(most) == 1 and "/" not in most[0] else None)
        elif name == "mmlu":
            said = [t.strip() for t in right if re.fullmatch("[A-D]", t.strip())]
            out.append(said[0] if said else None)
        else:
            short = [t for t in right if t.strip() and len(t.encode()) <= 30]
            out.append(min(short, key=lambda t: len(t.encode())) if short else None)
    return out


out = {}
for name, of in graders.items():
    replies = {os.path.basename(p).split(".", 2)[2][:-9]: rows(p) for p in sorted(glob.glob(f"{answers}/answers.{name}.*.gz"))}
    ids = [q["id"] for q in rows(f"{answers}/questions.{name}.jsonl.gz")]
    assert all([a["id"] for a in r] == ids for r in replies.values())
    shown = [re.findall(r"(?m)^[A-D]: (.*)$", q["prompt"]) for q in rows(f"{answers}/questions.{name}.jsonl.gz")]
    refs = references(name, replies)
    for grader, right in of.items():
        for model, said in replies.items():
            if right is None:
                found = choices.apply([[": " + a["text"]] for a in said], [{"choices": q} for q in shown])
                out.setdefault(name, {}).setdefault(grader, {})[model] = "".join(
                    "-" if r is None else str(int(f[0] == f"({r})")) for f, r in zip(found, refs))
                continue
            out.setdefault(name, {}).setdefault(grader, {})[model] = "".join(
                "-" if r is None else str(int(bool(right(a["text"], r, q)))) for a, r, q in zip(said, refs, shown))
json.dump(out, sys.stdout, indent=0)
