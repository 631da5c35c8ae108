"""Trains the tokenizer of the pair: SentencePiece BPE of 4,096 pieces.

usage: tokenizer.py FOLDER   (writes FOLDER/tokenizer.model)

As Gemma's: byte fallback, digits apart, no normalisation, no dummy prefix,
line feed and runs of spaces as pieces of their own; ids pad 0, eos 1, bos 2,
unk 3. It sees the filled prompts and answers of all seven tasks.
"""

import io
import sys
from pathlib import Path

import sentencepiece as spm

from tasks import TASKS, builtin_rows, examples, real_rows

VOCABULARY = 4096
ROWS = {"sst2": 30000, "agnews": 25260, "emotion": 7978}  # real rows; 12,000 of each built-in task


def lines():
    for task in TASKS:
        if task.builtin:
            rows = builtin_rows(task.name, "train", 1_000_000, 7)[:12000]
        else:
            rows = real_rows(task.name, "train")[: ROWS[task.name]]
        for prompt, answer in examples(task, rows):
            yield from (prompt + answer).split("\n")


def main(folder):
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=lines(),
        model_writer=model,
        model_type="bpe",
        vocab_size=VOCABULARY,
        byte_fallback=True,
        split_digits=True,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True,
        user_defined_symbols=["\n", "▁▁", "▁▁▁", "▁▁▁▁"],
        pad_id=0,
        eos_id=1,
        bos_id=2,
        unk_id=3,
        pad_piece="<pad>",
        eos_piece="<eos>",
        bos_piece="<bos>",
        unk_piece="<unk>",
        character_coverage=0.9999,
        num_threads=1,
        max_sentence_length=20000,
    )
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder, "tokenizer.model").write_bytes(model.getvalue())
    sp = spm.SentencePieceProcessor(model_proto=model.getvalue())
    for task in TASKS:
        first = [sp.encode(" " + label) for label in task.labels]
        if len({ids[0] for ids in first}) != len(task.labels):
            raise SystemExit(f"{task.name}: two labels share their first token: {first}")
        print(task.name, [len(ids) for ids in first])


if __name__ == "__main__":
    main(sys.argv[1])
