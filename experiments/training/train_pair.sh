#!/bin/sh
# Trains the pair from nothing, scores it and writes its model cards.
#
# usage: INFNET_DATA=FOLDER experiments/training/train_pair.sh
#
# Run it in the root of the repository. INFNET_DATA holds the real text files
# and their folder train/. Work files go to experiments/training/work.
set -eu
cd "$(dirname "$0")"
: "${INFNET_DATA:?the folder of the real text files}"
export INFNET_BUILTIN="${INFNET_BUILTIN:-$PWD/work}"
# Keep freed memory: handing it back and taking it again costs a third of the time.
export MALLOC_MMAP_THRESHOLD_=1000000000 MALLOC_TRIM_THRESHOLD_=10000000000 MALLOC_TOP_PAD_=100000000 OMP_NUM_THREADS=1
W="$INFNET_BUILTIN"
python3 tokenizer.py "$W/tokenizer"
python3 train.py tiny-student --out "$W/tiny-student" --tokenizer "$W/tokenizer/tokenizer.model" \
	--steps "${STUDENT_STEPS:-1150}" --warmup 100 --optimizer muon --lr 3e-3 --muon-lr 0.02 \
	--shares '{"reviews":0.30,"tickets":0.12,"lookup":0.06,"phrasebook":0.15,"sst2":0.15,"agnews":0.08,"emotion":0.14}'
torchrun --nproc-per-node 2 train.py tiny-master --out "$W/tiny-master" --tokenizer "$W/tokenizer/tokenizer.model" \
	--steps "${MASTER_STEPS:-8000}" --optimizer muon --lr 2e-3 --muon-lr 0.02 \
	--shares '{"reviews":0.08,"tickets":0.18,"lookup":0.36,"phrasebook":0.10,"sst2":0.08,"agnews":0.04,"emotion":0.06,"drill":0.10}'
for name in tiny-student tiny-master; do
	cp "$W/$name/folder/"* "../models/$name/"
	cp "$W/$name/training.json" "results/$name-training.json"
	python3 evaluate.py "../models/$name" "results/$name-scores.json"
done
python3 card.py ../models results
