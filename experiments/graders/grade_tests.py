"""Runs answers that are Python against the tests of their records, as HumanEval does: 1 where all pass, 0 where not.

    [datasets.correct]
    rule    = "command"
    command = ["python3", "../graders/grade_tests.py", "10"]

The dataset's fields name the columns: fields = { prompt = "prompt", test = "test", entry_point = "entry_point" }.
The words after the file are the seconds that an answer's tests may take, and a wrapper to run them in, which you want:
an answer is code of a model's, and this process alone is no sandbox. With Docker:

    command = ["python3", "grade_tests.py", "10", "docker", "run", "-i", "--rm", "--network=none", "--memory=1g",
               "python:3.12-slim", "python3", "-"]

A wrapper that cannot start is a fault of the grader, not of the answer: it is tried before any answer is.
"""
import json
import re
import secrets
import subprocess
import sys

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
wrapper = sys.argv[2:] or [sys.executable, "-I", "-"]
passed = secrets.token_hex(16)  # which no answer can know before it is run


def run(code):
    """Says whether the code ran to its end, where it says so."""
    try:
        done = subprocess.run(wrapper, input=code + f"\nprint({passed!r})\n", text=True, timeout=seconds,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and done.stdout.rstrip().endswith(passed)


def program(row):
    """The answer is a whole function, in a fence or not, or what follows the prompt."""
    fields, code = row["fields"], row["answer"]
    fence = re.search(r"```(?:python)?\n(.*?)```", code, re.DOTALL)
    code = fence.group(1) if fence else code
    if not re.search(rf"^def {re.escape(fields['entry_point'])}\b", code, re.MULTILINE):
        code = fields["prompt"] + code
    return f"{code}\n{fields['test']}\ncheck({fields['entry_point']})\n"


if json.loads(sys.stdin.readline())["version"] != 1:
    sys.exit("another version of infnet's lines")
if not run(""):
    sys.exit(f"{' '.join(wrapper)} does not run Python within {seconds} s")
for line in sys.stdin:
    row = json.loads(line)
    print(json.dumps({"id": row["id"], "score": int(run(program(row)))}), flush=True)
