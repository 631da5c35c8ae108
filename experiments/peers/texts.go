package main

import (
	"context"

	"infnet/metrics"
)

var texts = []work{
	onPairs("rouge-20", "ROUGE-L with stems, 8,000 pairs of 20 words", 20, "rouge-score", rougeL),
	onPairs("rouge-100", "ROUGE-L with stems, 8,000 pairs of 100 words", 100, "rouge-score", rougeL),
	onPairs("bleu", "BLEU, 8,000 pairs of 20 words", 20, "sacrebleu BLEU", corpus(metrics.BLEUStatistics, metrics.BLEUOf)),
	onPairs("chrf", "chrF, 8,000 pairs of 20 words", 20, "sacrebleu chrF", corpus(metrics.ChrFStatistics, metrics.ChrFOf)),
}

// onPairs is a score over pairs of texts.
func onPairs(name, title string, length int, peer string, score func(pairs [][2]string) float64) work {
	return work{
		name: name, title: title, peers: []string{peer},
		data: func(folder string) error { return writePairs(folder, 8_000, length) },
		ours: func(_ context.Context, at place) (task, error) {
			pairs, err := readPairs(at.folder)
			var value float64
			return task{func() error { value = score(pairs); return nil }, func() float64 { return value }}, err
		},
	}
}

func rougeL(pairs [][2]string) (mean float64) {
	for _, p := range pairs {
		mean += metrics.ScoreRougeL(p[0], p[1:]) / float64(len(pairs))
	}
	return mean
}

// corpus is a score of the sums over all pairs.
func corpus(statistics func(string, []string) []float64, of func(sums []float64) float64) func([][2]string) float64 {
	return func(pairs [][2]string) float64 {
		var sums []float64
		for _, p := range pairs {
			s := statistics(p[0], p[1:])
			if sums == nil {
				sums = make([]float64, len(s))
			}
			for i, v := range s {
				sums[i] += v
			}
		}
		return of(sums)
	}
}
