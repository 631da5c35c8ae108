"""Grades answers by IFEval's own checks (Zhou et al. 2023), strictly: 1 where all instructions are followed.

    pip install "lm-eval[ifeval]"

The checks are those that lm-evaluation-harness ships. The dataset's fields name the columns:
fields = { prompt = "prompt", ids = "json:instruction_id_list", kwargs = "json:kwargs" }.
"""
import json
import sys

grades, sys.stdout = sys.stdout, sys.stderr  # the library tells there what it downloads

from lm_eval.tasks.ifeval.utils import InputExample, test_instruction_following_strict

if json.loads(sys.stdin.readline())["version"] != 1:
    sys.exit("another version of infnet's lines")
for line in sys.stdin:
    row = json.loads(line)
    fields = row["fields"]
    asked = InputExample(key=row["id"], instruction_id_list=json.loads(fields["ids"]), prompt=fields["prompt"],
                         kwargs=json.loads(fields["kwargs"]))
    followed = test_instruction_following_strict(asked, row["answer"]).follow_all_instructions
    print(json.dumps({"id": row["id"], "score": int(followed)}), file=grades, flush=True)
