"""Joins the answers that five systems gave to the questions of SQuAD 1.1's development set, and writes what a study
without a single call needs:

    student.jsonl  id, text, confidence: Match-LSTM, an ensemble of 2016
    master.jsonl   id, text: BERT, an ensemble of 2018
    answers.csv    id, confidence, student, master (1 = exact match): for infnet fit

The student's confidence is how much the other three cheaper systems agree with it: the mean token-F1 of its answer with
theirs (a disagreement is a reason to ask). BERT has no say in it.

    python3 experiments/squad-systems/join.py "$INFNET_DATA" runs/squad-systems-answers
"""
import collections, gzip, json, os, re, string, sys

SYSTEMS = ["Match-LSTM", "BERT", "Logistic Regression", "r-net+", "SLQA+"]  # how their names begin: student, master, others


def words(text):
    """The tokens of an answer, as the reference program of SQuAD 1.1 has them."""
    text = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def f1(mine, theirs):
    mine, theirs = words(mine), words(theirs)
    if not mine or not theirs:
        return float(mine == theirs)
    common = sum((collections.Counter(mine) & collections.Counter(theirs)).values())
    p, r = common / len(mine), common / len(theirs)
    return 2 * p * r / (p + r) if common else 0.0


def read(name):
    with gzip.open(os.path.join(sys.argv[1], name), "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def answer(row, system):
    found = [said or "" for name, said in row["predictions"].items() if name.startswith(system)]
    if len(found) != 1:
        sys.exit(f"question {row['id']}: {len(found)} systems begin with {system!r}")
    return found[0]


def line(**cells):
    return json.dumps(cells, ensure_ascii=False, separators=(",", ":")) + "\n"


references = {q["id"]: q["answers"] for q in read("squad.jsonl.gz")}
student, master, table = [], [], ["id,confidence,student,master\n"]
for row in read("squad_systems.jsonl.gz"):
    if row["id"] not in references:
        continue
    cheap, dear, *others = [answer(row, s) for s in SYSTEMS]
    beta = sum(f1(cheap, o) for o in others) / len(others)
    beta = int(beta) if beta == int(beta) else beta  # 0 and 1, not 0.0 and 1.0
    right = [int(any(words(a) == words(r) for r in references[row["id"]])) for a in (cheap, dear)]
    student.append(line(id=row["id"], text=cheap, confidence=beta))
    master.append(line(id=row["id"], text=dear))
    table.append(f"{row['id']},{beta},{right[0]},{right[1]}\n")
if not student:
    sys.exit("no question is in both files")
os.makedirs(sys.argv[2], exist_ok=True)
for name, lines in ("student.jsonl", student), ("master.jsonl", master), ("answers.csv", table):
    with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8", newline="") as f:
        f.writelines(lines)
print(f"{len(student)} of {len(references)} questions have all systems' answers; written to {sys.argv[2]}")
