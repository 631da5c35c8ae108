package metrics

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/choice"
)

// Name names a metric in specs and results.
type Name string

const (
	Accuracy    Name = "accuracy"      // share of records answered with the right class
	F1Macro     Name = "f1-macro"      // unweighted mean of the classes' F1
	F1Micro     Name = "f1-micro"      // F1 of the pooled counts; equals accuracy when every class counts
	F1Weighted  Name = "f1-weighted"   // mean of the classes' F1, weighted by their true share
	F1Binary    Name = "f1-binary"     // F1 of class 1, of two
	Rouge1      Name = "rouge-1"       // unigram F
	Rouge2      Name = "rouge-2"       // bigram F
	RougeL      Name = "rouge-l"       // longest common subsequence F, best reference
	RougeLFirst Name = "rouge-l-first" // the same, first reference only
	Cosine      Name = "cosine"        // of sentence embeddings, best reference
	CosineFirst Name = "cosine-first"  // the same, first reference only
	ExactMatch  Name = "exact-match"   // equal after SQuAD normalisation
	TokenF1     Name = "token-f1"      // SQuAD token F1
	BLEU        Name = "bleu"          // corpus BLEU, 13a tokens
	ChrF        Name = "chrf"          // corpus chrF2
	BARTScore   Name = "bartscore"     // mean log-probability of the answer given a reference, by the study's scorer
)

func Names() []Name {
	var names []Name
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

func (n *Name) UnmarshalText(b []byte) error { return choice.Decode(n, b, "metric", Names()) }

// Input is what a metric looks at, which says which of its functions is set.
type Input string

const (
	Classes Input = "classes" // true and predicted class: Counts
	Texts   Input = "texts"   // answer and references: Score, perhaps Sums
	Vectors Input = "vectors" // their embeddings: Similarity
	Pairs   Input = "pairs"   // a model's score of reference and answer together: Given
)

// Metric is a score with all there is to know about it.
//
// Over many records a metric is the mean of its per-record scores, unless
// Counts or Sums is set: then it is Value of summed statistics.
type Metric struct {
	Name      Name
	Title     string  // as a table heads it
	Low, High float64 // range; of every metric here higher is better
	Percent   bool    // a share of 1 that readers expect times 100; BLEU and chrF are on 0–100 already
	Decimals  int     // digits that mean something, printed as is
	Input     Input
	Source    string // the definition it follows, for footnotes
	PerRecord string // what the score of one record is, for a data dictionary; "" = it has none

	// Score is the score of one record; no references score 0.
	Score func(answer string, references []string) float64
	// Similarity is the score of one record from embeddings.
	Similarity func(answer []float32, references [][]float32) float64
	// Given is the score of one record from those that a model gave it, one
	// per reference.
	Given func(scores []float64) float64
	// Counts makes Value for confusion matrices: of the records, full are the counts of the cells.
	Counts func(cells Confusion, full []float64) func(cells Confusion, counts []float64) float64
	// Sums are the sufficient statistics of one record, Width of them; added
	// up over records they are the argument of Value.
	Sums  func(answer string, references []string) []float64
	Width int
	Value func(sums []float64) float64
}

// Get returns the metric of this name, or an error that lists the names.
func Get(n Name) (Metric, error) {
	for _, m := range all {
		if m.Name == n {
			return m, nil
		}
	}
	return Metric{}, fmt.Errorf("unknown metric %q: want one of %v", string(n), Names())
}

// All returns every metric, in the order of the documentation.
func All() []Metric { return append([]Metric(nil), all...) }

var all = []Metric{
	classes(Accuracy, "Accuracy", "share of right answers",
		func(Confusion, []float64) func(Confusion, []float64) float64 { return AccuracyOf }),
	classes(F1Macro, "Macro F1", "scikit-learn, average=macro over labels in truth or prediction, zero_division=0",
		F1On(Macro)),
	classes(F1Micro, "Micro F1", "scikit-learn, average=micro, zero_division=0", F1On(Micro)),
	classes(F1Weighted, "Weighted F1", "scikit-learn, average=weighted, zero_division=0", F1On(Weighted)),
	classes(F1Binary, "F1", "scikit-learn, average=binary, positive class 1, zero_division=0",
		F1On(Binary)),
	texts(Rouge1, "ROUGE-1", "rouge_score, F, Porter stems, best reference", "unigram F of the answer, in [0,1]",
		best(rougeN(1))),
	texts(Rouge2, "ROUGE-2", "rouge_score, F, Porter stems, best reference", "bigram F of the answer, in [0,1]",
		best(rougeN(2))),
	texts(RougeL, "ROUGE-L", "rouge_score, F, Porter stems, best reference", "ROUGE-L F, best reference, in [0,1]",
		ScoreRougeL),
	texts(RougeLFirst, "ROUGE-L", "rouge_score, F, Porter stems, first reference", "ROUGE-L F, first reference, in [0,1]",
		first(ScoreRougeL)),
	{
		Name: BARTScore, Title: "BARTScore", Low: math.Inf(-1), High: 0, Decimals: 2, Input: Pairs,
		Source:    "Yuan, Neubig and Liu 2021, mean log-probability of the answer given the reference, best reference",
		Given:     slices.Max[[]float64],
		PerRecord: "mean log-probability of the answer given a reference, by the study's scorer, best reference, at most 0",
	},
	vectors(Cosine, "Cosine", "cosine of embeddings, best reference", "cosine of embeddings, best reference, in [-1,1]",
		CosineBest),
	vectors(CosineFirst, "Cosine", "cosine of embeddings, first reference",
		"cosine of embeddings, first reference, in [-1,1]", first(CosineBest)),
	texts(ExactMatch, "Exact match", "SQuAD normalisation, any reference",
		"1 if equal to a reference after normalisation, else 0", ScoreExactMatch),
	texts(TokenF1, "Token F1", "SQuAD normalisation, best reference", "token F1, best reference, in [0,1]", ScoreTokenF1),
	{
		Name: BLEU, Title: "BLEU", Low: 0, High: 100, Decimals: 1, Input: Texts,
		Source:    "sacreBLEU, " + bleuSignature,
		PerRecord: "BLEU of this answer alone, in [0,100]; a table's BLEU is not its mean",
		Score:     SentenceBLEU, Sums: BLEUStatistics, Width: 2 + 2*bleuOrder, Value: BLEUOf,
	},
	{
		Name: ChrF, Title: "chrF", Low: 0, High: 100, Decimals: 1, Input: Texts,
		Source:    "sacreBLEU, " + chrfSignature,
		PerRecord: "chrF2 of this answer alone, in [0,100]; a table's chrF is not its mean",
		Score:     SentenceChrF, Sums: ChrFStatistics, Width: 18, Value: ChrFOf,
	},
}

func classes(n Name, title, source string,
	counts func(Confusion, []float64) func(Confusion, []float64) float64) Metric {
	return Metric{Name: n, Title: title, High: 1, Percent: true, Decimals: 3, Input: Classes,
		Source: source, Counts: counts}
}

func texts(n Name, title, source, perRecord string, score func(string, []string) float64) Metric {
	return Metric{Name: n, Title: title, High: 1, Percent: true, Decimals: 3, Input: Texts,
		Source: source, PerRecord: perRecord, Score: score}
}

func vectors(n Name, title, source, perRecord string, similarity func([]float32, [][]float32) float64) Metric {
	return Metric{Name: n, Title: title, Low: -1, High: 1, Decimals: 3, Input: Vectors,
		Source: source, PerRecord: perRecord, Similarity: similarity}
}

// best scores an answer by its best reference; without references 0.
func best(score func(answer, reference string) float64) func(string, []string) float64 {
	return func(answer string, references []string) float64 {
		top := 0.0
		for _, r := range references {
			top = max(top, score(answer, r))
		}
		return top
	}
}

// first scores an answer by its first reference only, as the paper does; without references 0.
func first[A, R any](score func(A, []R) float64) func(A, []R) float64 {
	return func(answer A, references []R) float64 { return score(answer, references[:min(1, len(references))]) }
}
