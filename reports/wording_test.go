package reports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/sufficiency"
	"infnet/sufficiency/pcm"
)

// samples has every kind of caveat, most of them once for each of its wordings,
// and a part of its sentence with the numbers that it rounds. The sentences are
// those that results have always had.
var samples = []struct {
	about note.Caveat
	says  string
}{
	{note.NoEnsembles{Task: "summarization"}, "this is a task of summarization."},
	{note.Copies{Rows: 3}, "Left out before the split: 3 rows of the source"},
	{note.PartialSource{}, "only the beginning of this split"},
	{note.Untrained{Baseline: "FrugalGPT", Units: 3, Folds: 5},
		"No row of FrugalGPT: the fit part has 3 records or groups of records, fewer than the 5 folds"},
	{note.NoCurve{Policies: []string{"Ours", "Random"}}, "comparison of Ours, Random: not asking"},
	{note.Padding{Batch: 8}, "padded batches of 8:"},
	{note.NearZero{Right: right}, "right are small on 1, large on 1.333 of 40 test records."},
	{note.Chance{Right: right, Majority: 20},
		"right are small on 1, large on 1.333 of 40 test records, and always naming the most frequent class of the fit " +
			"part is right on 20."},
	{note.Responders{Models: []note.Names{{Model: "small",
		Names: []note.Counted{{Name: "a", Count: 2}, {Name: "b", Count: 1}}}}}, "name: small by a: 2, b: 1."},
	{note.Unconfirmed{Models: []note.Doubtful{{Model: "small", Why: "nobody answers"}}},
		"answers: small, as nobody answers."},
	{note.Hidden{Models: []note.Share{{Model: "small", Count: 4, Of: 40}}}, "orders nothing: 4 of 40 answers of small."},
	{note.BatchPrices{Counted: true, Models: []note.BatchPrice{{Model: "small", Batched: 3, Of: 4, Discount: 0.5}}},
		"all others the list price: small 3 of 4 (50 % off)."},
	{note.BatchPrices{Models: []note.BatchPrice{{Model: "small", Batched: 4, Of: 4}}},
		"(cost.batch counts discounts): small 4 of 4 (no discount is stated)."},
	{note.TwoModels{Baselines: []string{"FrugalGPT", "HybridLLM"}}, "FrugalGPT and HybridLLM decide between two models"},
	{note.EmbedderReplaced{Model: "mini", For: "big"}, "embedded by mini in place of big,"},
	{note.ScorerReplaced{Model: "mini", For: "bart"}, "scored by mini in place of bart,"},
	{note.ScorerLeftOut{For: "bart"}, "No answer is scored in place of bart,"},
	{note.DerivedStats{}, "functions of β"},
	{note.Embeddings{Embedder: "mini"}, "by the embedder mini."},
	{note.Embeddings{Embedder: "lexical", Lexical: true},
		"by the embedder lexical, which hashes words and characters: it sees wording, not meaning."},

	{note.RouterPart{Learned: 2000, Of: 7021}, "The router learned from 2000 of the 7021 fit records"},
	{note.NoTexts{}, "No router: it reads the queries' texts"},
	{note.Slower{Than: "m", P50: 1.534, P99: 2.61}, "It takes time: the median query 1.5 times, and the 99th " +
		"percentile 2.6 times, as long as with m alone."},
	{note.Rival{Unheld: true}, "That cannot be said: no rows were held out"},
	{note.Rival{First: "large", Than: "large", Priced: true, Verdict: "not worth it", Margin: .02,
		Saved: infer.Interval{Value: -0.114, Low: -0.13, High: -0.1},
		Error: infer.Interval{Value: -0.00001, Low: -0.01, High: 0.002},
		Turn: &note.Turn{Student: "small", Master: "large", Ratio: 0.3,
			BreakEven: infer.Interval{Value: 0.186, Low: 0.17, High: 0.2}}},
		"Worth it? No: asking large alone costs 11.4 % [10.0, 13.0] less and errs at most 2.0 points more; it errs 0.00 " +
			"points less [-0.20, 1.00] than large alone. The cascade is cheaper while small costs less than 18.6 % [17.0, " +
			"20.0] of large; here it costs 30.0 %."},
	{note.Rival{First: "large", Second: "small", P: 0.25, Than: "large", Priced: true, Verdict: "worth it",
		Saved: infer.Interval{Value: 0.5, Low: 0.4, High: 0.6}, Error: infer.Interval{Value: .01, Low: -.02, High: .04}},
		"Yes: it costs 50.0 % [40.0, 60.0] less than asking large for 75.0 % of the queries at random and small for the " +
			"rest, the cheapest way without a cascade to err no more, and it errs 1.00 points more [-2.00, 4.00] than " +
			"large alone."},
	{note.Rival{First: "large", Than: "large", Priced: true, Verdict: "errs more", Margin: .02,
		Saved: infer.Interval{Value: 0.5, Low: 0.4, High: 0.6}, Error: infer.Interval{Value: .03, Low: .01, High: .05}},
		"It errs more: it saves 50.0 %"},
	{note.Rival{First: "large", Than: "large", Priced: true, Verdict: "not shown", Margin: .005,
		Saved: infer.Interval{Value: 0.5, Low: -0.1, High: 0.6}},
		"Not shown: it saves 50.0 % [-10.0, 60.0] of the cost of asking large alone, which errs at most 0.5 points more"},
	{note.Rival{First: "large", Than: "large", Priced: true, Verdict: "errs less",
		Error: infer.Interval{Value: -.05, Low: -.07, High: -.03}},
		"No single model errs so rarely: it errs 5.00 points less [3.00, 7.00] than large alone."},
	{note.Rival{First: "small", Priced: true, Verdict: "not worth it", Margin: .02,
		Saved: infer.Interval{Value: -1, Low: -1, High: -1},
		Turn:  &note.Turn{Student: "small", BreakEven: infer.Interval{Method: "by definition"}}},
		"No price changes that: small alone errs at most 2.0 points more."},
	{note.Rival{Single: "small", Verdict: "same"}, "It is small alone."},
	{note.Rival{Turn: &note.Turn{Student: "small", Master: "large", BreakEven: infer.Interval{Value: 0, Low: 0, High: 0}}},
		"That depends on the prices, which are not known. No price changes that: too many queries are asked of large."},

	{note.Ensemble{Models: 2}, "Two models that disagree are a tie"},
	{note.Ensemble{Models: 3}, "A tie goes to the surest model"},
	{note.OwnBudget{Target: "best", Errors: "2.5"}, "target best allows thresholds of this form 2.5 errors"},
	{note.NeverPredicted{Classes: []string{"red", "blue"}}, "always deferred: red, blue."},
	{note.NotMonotone{Classes: []string{"red"}}, "with the confidence (red);"},
	{note.NoSpread{Classes: []string{"red"}}, "nearly so (red):"},
	{note.Oracle{}, "before it decides: the headroom"},
	{note.Oracle{Chain: true}, "takes the first model that makes the least"},
	{note.Coins{P: 0.5, Draws: 100, Metric: "Accuracy", Mean: 0.51234, Low: 0.5, High: 0.52, Level: 0.95},
		"The exact expectation of deferring with probability 0.5. 100 single draws gave a mean Accuracy of 0.5123, 95 % " +
			"of them between 0.5000 and 0.5200."},
	{note.Coins{P: 0.5, Draws: 2, Metric: "F1", Mean: 0.5, Low: 0.4, High: 0.6, Level: 0.95, Rival: &note.Rival{First: "m",
		Second: "s", P: 0.5, Saved: infer.Interval{Value: -.071, Low: -.071, High: -.071}}},
		"The exact expectation of deferring with probability 0.5. 2 single draws gave a mean F1 of 0.5000, 95 % of them " +
			"between 0.4000 and 0.6000. Worth it? No: asking m for 50.0 % of the queries at random and s for the rest " +
			"costs 7.1 % less and errs no more."},
	{note.Coins{P: 0.25, Chain: true, Averaged: []string{"F1", "BLEU"}, Draws: 7},
		"The exact expectation (F1, BLEU: the mean of 7 draws) of deferring with probability 0.25 at every stage."},
	{note.Certified{Guarantee: note.Guarantee{Method: "ltt", Level: 0.123456, Delta: 0.1, Proposed: 5, Tested: "6 records",
		Split: "0123456789abcdef"}},
		"Certified (ltt): the error of records drawn like the fit part is at most 0.1235, with probability 0.9. 5 " +
			"records proposed, 6 records tested; split 0123456789ab."},
	{note.Certified{Guarantee: note.Guarantee{Method: "crc", Level: 0.1, Reference: "master", Largest: 9}},
		"the error of records drawn like the fit part, in groups of at most 9, is at most 0.1 above that of the master " +
			"alone, on average over fit parts. 0 records proposed,  tested; split ."},
	{note.Uncertified{Guarantee: note.Guarantee{Tested: "6 records", Proposed: 5}},
		"on the 6 records that test no candidate passed; these are the thresholds of least error on the 5 that propose."},
	{note.Mixture{Alpha: 0.33333, Deferred: 3.25, Exact: 4},
		"probability 0.3333. On the fit part it defers 3.2 records where the best deterministic policy defers 4."},
	{note.Mixture{ByCost: note.ByCost{Minimised: true, Cost: 1.23456, ExactCost: 2, Unit: "USD"}},
		"its deferrals cost 1.235 USD where those of the best deterministic policy cost 2."},
	{note.FreeForm{Level: 0.00004, Deferred: 3, Exact: 4},
		"at most 0.0000. Out of fold on the fit part it defers 3 records where the best thresholds defer 4."},
	{note.FreeForm{ByCost: note.ByCost{Minimised: true, Cost: 1, ExactCost: 2, Unit: "USD"}},
		"its deferrals cost 1 USD where those of the best thresholds cost 2."},

	{note.PairsOnly{}, "in tables of their own: cost–error curves and matched comparisons."},
	{note.PairsOnly{Classed: true, Compare: []string{"sorting", "randomised"}, Guarantee: true},
		"thresholds per class; other ways to find a policy (sorting, randomised); the guarantee; cost–error curves and " +
			"matched comparisons."},
	{note.Descent{Feasible: true, Cost: 1.23456, Bound: 1},
		"at a cost of 1.235 per query on the fit part, where no thresholds within the budget cost less than 1."},
	{note.Descent{}, "nothing is proved about them."},
	{note.ChainInfeasible{}, "No thresholds of the chain meet the budget"},
	{note.ChainAlone{}, "it takes more than two."},
	{note.SamePair{Models: []string{"a", "b"}, Pair: [2]string{"c", "d"}},
		"Asking a and b too does not pay: at this budget the chain does what the best pair alone does, c → d."},
	{note.ExtraModel{Models: []string{"a"}, Pair: [2]string{"c", "d"}, Pays: "yes",
		Saved: infer.Interval{Value: 1.234, Low: 1, High: 2}, Error: infer.Interval{Value: 0.012345, Low: -0.01, High: 0.02}},
		"Asking a too pays: at the same budget the chain saves 1.23 percentage points [1.00, 2.00] more of the master's " +
			"cost than the best pair alone, c → d, with an error rate 1.23 points [-1.00, 2.00] higher;"},
	{note.ExtraModel{Models: []string{"a"}, Pays: "no"}, "Asking a too does not pay: at the same budget"},
	{note.ExtraModel{Models: []string{"a"}, Pays: "unclear"},
		"It is not clear whether asking a too pays: at the same budget"},

	{note.LearnedScore{Learner: learner, Ours: "Ours", Affordable: true},
		"A learner (light) reads the query and estimates the probability that it is right; the threshold is from " +
			"out-of-fold scores of the fit part. It makes the fewest errors at no more than the cost of Ours on the fit " +
			"part. Charged as a cascade; every query also pays the learner's own operations, 0.00123 TFLOPs."},
	{note.LearnedScore{Learner: note.Learner{Released: true, Charge: "cascade", Overhead: note.Uncharged}, Ours: "Ours",
		Sure: true},
		`the threshold is from scores of the fit part by the same fit. The learner alone costs more than all that Ours defers on the fit part, so it never asks the master and is dearer all the same. Charged as a cascade. As in the authors' code the score is the larger of P(right) and P(wrong), so that a sure verdict of "wrong" is accepted too; the learner's own operations are not charged`},
	{note.LearnedRouter{Learner: note.Learner{Charge: "router", Overhead: note.Unpriced}, Quality: "token F1",
		Delta: 0.01},
		"mean token F1 at most 0.01 below the master's (δ). Charged as a router; what the learner itself costs is not " +
			"known and charged as 0"},
	{note.LearnedRouter{Learner: note.Learner{Released: true, Charge: "cascade", Overhead: note.Unpriced},
		Relative: true},
		"at most 0 of the master's below the master's (δ). Charged as a cascade, as the published rows are, though tuned " +
			"as a router, with labels and δ as in the paper; what the learner itself costs is not known and charged as 0"},
	{note.OneLabel{Records: 9, Predicts: "it is right", One: true, Score: 1},
		"All 9 records of the fit part have one label (it is right: always): there was nothing to learn, every score is " +
			"1, and the policy never asks the master."},
	{note.OneLabel{Defers: true}, "(: never): there was nothing to learn, every score is 0, and the policy always asks " +
		"the master."},
	{note.DropMissed{Quality: "token F1", Delta: 0.01, Drop: 0.123456},
		"the mean token F1 within δ = 0.01 on the fit part; this is the nearest, with 0.1235."},
	{note.Trivial{}, "the policy never asks the master."},
	{note.FitSeen{Records: 85, Held: 15}, "it was trained on 85 of the records of the fit part that its threshold is " +
		"fitted to, and stopped and calibrated by the other 15. Scores of records that a fit saw are better than those " +
		"of new"},
	{note.FitSeen{Records: 9}, "that its threshold is fitted to. Scores of records"},
	{note.LearnerReplaced{Model: "light", For: "bert"}, "Learned by light in place of bert,"},
	{note.EmbedderUncounted{Embedder: "mini"}, `embeddings by "mini", whose own`},
	{note.Uncalibrated{Fits: 1, Of: 5}, "Of the 5 fits that made the out-of-fold scores, 1 was not calibrated:"},
	{note.TooFewPermutations{Permutations: 10, Alpha: 0.05},
		"10 permutations cannot give a p-value below 0.09091, so α = 0.05 " +
			"is never reached; at least 19 are needed"}, // 1/11; 1/(19 + 1) = 0.05
	{note.Drift{What: "the share of the classes", Fit: 10, Test: 5, P: 0.000123, By: "fisher", Level: 0.001, InFile: true},
		"the share of the classes differs between the fit part (10 records) and the test part (5): p = 0.00012 (fisher); " +
			"what is fitted on the one may not hold on the other (order \"shuffle\" makes them alike)"},
	{note.Drift{What: "the error rate of large", Fit: 300, Test: 200, P: 1e-5, By: "fisher", Level: 0.001, Column: "part",
		Models: 2, Rates: [2]float64{8.67, 24.3}},
		"the error rate of large (8.7 % and 24.3 %) differs between the fit part (300 records) and the test part (200): " +
			"p = 1e-05 (fisher, adjusted for 2 models); what is fitted on the one may not hold on the other (the parts are " +
			"those of the column \"part\", and nothing says that they were drawn from one source)"},
	{note.Drift{What: "β", By: "fisher", Level: 0.01},
		"β differs between the fit part (0 records) and the test part (0): " +
			"p = 0 (fisher); what is fitted on the one may not hold on the other (the split is shuffled, and so by " +
			"chance about " +
			"1 such test in 100 warns, more where records come in groups: look at repeats of the split)"},
	{note.Form{}, "No records: nothing can be said about the threshold form."},
	{note.Form{Classes: 1, Least: .2}, "No sign that the threshold form loses anything: the student's excess error " +
		"does not rise with its confidence beyond chance (p = 0.2)."},
	{note.Form{Classes: 2, Least: .051}, "No sign that the threshold form loses anything: in none of 2 classes does " +
		"the student's excess error rise with its confidence beyond chance (smallest adjusted p = 0.051)."},
	{note.Form{Classes: 2, Least: .004, Rising: []note.RisingClass{{Class: "Sports", P: .004}},
		Price: &note.FormPrice{Met: true, With: 16.5, Without: 10, Loss: 6.5}}, // 33 and 20 of 200
		"The threshold form may lose: in 1 of 2 classes the student's excess error rises with its confidence " +
			"somewhere, so some surer answers deserve deferral before less sure ones: Sports (adjusted p = 0.004). The " +
			"best thresholds for these records defer 16.5 % of the queries, accepting by estimated excess error (out of " +
			"fold) 10.0 %: the form costs 6.5 points at least."},
	{note.Form{Classes: 1, Least: .01, Rising: []note.RisingClass{{P: .01}},
		Price: &note.FormPrice{Met: true, With: 10, Without: 15, Loss: -5}},
		"The threshold form may lose: the student's excess error rises with its confidence somewhere (p = 0.01), " +
			"so some surer answers deserve deferral before less sure ones. The best thresholds for these records defer " +
			"10.0 % of the queries, accepting by estimated excess error (out of fold) 15.0 %: giving up the form gains " +
			"nothing that these records can show."},
	{note.Form{Classes: 1, Least: 1, Price: &note.FormPrice{}},
		"beyond chance (p = 1). Its price could not be measured: " +
			"the budget was not met both with and without it."},
	{note.Uncalibrated{Fits: 2, Of: 5}, "2 were not calibrated:"},

	{note.Absent{Student: "small", Master: "large", Dataset: "sst-2"}, "no cascade of small and large on sst-2."},
	{note.OtherModels{Ours: []string{"a", "b"}, Published: []string{"c", "d"}},
		"Other models: a and b, published c and d."},
	{note.OtherRows{Ours: "file:x", Published: "hf:x"}, "the same from elsewhere: file:x, published hf:x."},
	{note.OtherLimit{Published: 8000}, "Number of records: all, published 8000."},
	{note.OtherLimit{Ours: 300, Published: 8000}, "Number of records: 300,"},
	{note.OtherSplit{Ours: note.SplitRule{Fit: 0.7, Order: "shuffle"}, Published: note.SplitRule{Fit: 0.8, Order: "file"}},
		"Split: 0.7 to fit, order shuffle; published 0.8, order file."},
	{note.GroupedSplit{Column: "title"}, "records of one title stay on one side"},
	{note.OtherTask{Ours: "generation", Published: "translation"}, "Task: generation, published translation."},
	{note.OtherDirection{Ours: "en-de", Published: "de-fr"},
		"Direction: English into German, published German into French."},
	{note.OtherDirection{Ours: "", Published: "cs-en"}, "Direction: not said, published cs into English."},
	{note.OtherTokens{Ours: 30, Published: 64}, "New tokens: at most 30, published 64."},
	{note.OtherRule{Ours: "token-f1", Tau: 0.5, Published: "cosine", Least: "0.70", Embedder: "mpnet"},
		"An answer is right by token-f1 ≥ 0.5, published cosine ≥ 0.70 of mpnet."},
	{note.OtherRule{Ours: "exact"}, "right by exact, published"},
	{note.OtherCosine{Ours: "lexical", Published: "mpnet"}, "The cosine is of lexical, published of mpnet."},
	{note.Misprint{Printed: "40.50", Implied: "50.81"}, "printed as 40.50 and implied by the Random row as 50.81,"},
	{note.TextDirection{Text: "en-de", Program: "de-en"}, "text says English into German; the authors' program " +
		"translates German into English,"},
	{note.NoRow{Policy: "FrugalGPT"}, "The study has no FrugalGPT row."},
	{note.OtherCharge{Ours: "router", Published: "cascade"}, "charged like a cascade; ours is charged as a router,"},
	{note.OneDraw{}, "Published is one draw"},
	{note.OtherQuality{Ours: note.IsRight, Published: "BARTScore"},
		"the larger BARTScore, here which is right: the same but where both are wrong."},
	{note.OtherQuality{Ours: note.TokenF1, Published: "BARTScore"},
		"the larger BARTScore, here which has the larger token F1: no verdict."},
	{note.OtherQuality{Ours: note.StandIn, Published: "BARTScore"},
		"Another scorer than the study's tells which answer has the larger BARTScore: no verdict."},
	{note.OtherLearner{Published: "distilbert"}, "which is a fine-tuned distilbert: no verdict."},
	{note.Untested{}, "The study does not test this."},
	{note.Untested{State: "determined by β"}, "Ours is not tested: determined by β."},
	{note.OtherEmbedder{Ours: "lexical", Published: "minilm"}, "embedded by lexical, published by minilm."},
	{note.OtherTest{Published: 10, Method: "plain", Permutations: 199}, "Published: 10 shuffles of J, anywhere, on all " +
		"records. Ours: 199 at most, on the fit part."},
	{note.OtherTest{Method: "pcm", Splits: 8},
		"the covariance measures, on 8 random halves, which shuffles nothing,"},
	{note.Undecided{}, "Ours cannot decide:"},
}

var (
	right   = note.Right{Models: []string{"small", "large"}, Right: []float64{1, 4. / 3}, Records: 40}
	learner = note.Learner{Charge: "cascade", Name: "light", Reads: "query", Predicts: "it is right",
		Overhead: note.Operations, Cost: 0.00123, Unit: "TFLOPs"}
)

func TestSentences(t *testing.T) {
	for _, tt := range samples {
		if got := Sentence(tt.about); !strings.Contains(got, tt.says) || !strings.HasSuffix(got, ".") && got != tt.says {
			t.Errorf("%#v:\n%s\nwant in it:\n%s", tt.about, got, tt.says)
		}
	}
}

// The caveats of tests of sufficiency are made of the rows' facts and numbers,
// once.
func TestCaveatsOfTests(t *testing.T) {
	zero, permuted := 0., &sufficiency.Permutation{Fixed: 6}
	for _, tt := range []struct {
		name string
		row  sufficiency.Row
		want []string
	}{
		{name: "none", row: sufficiency.Row{State: sufficiency.Tested}},
		{name: "constant Δ", row: sufficiency.Row{State: sufficiency.Degenerate, Facts: sufficiency.Facts{
			Truncated: &sufficiency.Truncation{Dimensions: 3, Of: 20, Kept: 0.98765}, Delta: &zero}},
			want: []string{"3 dimensions of 20 by truncated SVD over all records (98.8 % of the squared length)",
				"Δ is 0 on every record: there is nothing to predict"}},
		{name: "few", row: sufficiency.Row{Facts: sufficiency.Facts{Undivided: &sufficiency.TooFewError{Units: 10,
			Folds: 11}}},
			want: []string{"too few to divide: 10 records or groups of records, fewer than the 11 folds"}},
		{name: "few to halve", row: sufficiency.Row{Facts: sufficiency.Facts{FlatBeta: true,
			Unhalved: &pcm.TooFewError{Units: 19, Least: 20}}},
			want: []string{"β is the same on every record: the null model knows nothing",
				"too few records: 19 records or groups of records; at least 20 are needed"}},
		{name: "undecided", row: sufficiency.Row{State: sufficiency.Undecided, PCM: &pcm.Result{Fit: pcm.Fit{P: 0.00123}}},
			want: []string{"the regression of Δ on what the null knows does not fit: its residuals go with β beyond chance " +
				"(smooth test on held-out residuals, p = 0.0012, level 0.01), so the test's p-value is none"}},
		{name: "rough", row: sufficiency.Row{State: sufficiency.Undecided, PCM: &pcm.Result{Fit: pcm.Fit{P: 1,
			Rough: 0.002}}},
			want: []string{"the regression of Δ on what the null knows does not fit: residuals of neighbours in β, or of " +
				"one class, go together beyond chance (p = 0.0020, level 0.01), so the test's p-value is none"}},
		{name: "around", row: sufficiency.Row{State: sufficiency.Undecided, PCM: &pcm.Result{Fit: pcm.Fit{P: 1, Rough: 1,
			Around: 0.003}}},
			want: []string{"what β and class leave of Δ goes with what they leave of J in a record's neighbours, which no " +
				"effect of its own J explains: both regressions miss the same steps (p = 0.0030, level 0.01), so the test's " +
				"p-value is none"}},
		{name: "seen", row: sufficiency.Row{State: sufficiency.Tested, PCM: &pcm.Result{
			Covariance: pcm.Covariance{Seen: 0.123}}},
			want: []string{"a change in the mean of Δ by 13 points, rising evenly from the lowest to the highest value of " +
				"a column of J, would have been seen with probability 0.8 before adjustment (the median column)"}},
		{name: "plain", row: sufficiency.Row{State: sufficiency.Tested, Method: sufficiency.Plain, Permutation: permuted},
			want: []string{"6 of 10 records have nothing to change places with; the test sees little",
				"plain permutation also breaks the dependence of J on β: p can be small without J adding anything"}},
		{name: "read", row: sufficiency.Row{Notes: []string{"as it was"}, Facts: sufficiency.Facts{FlatBeta: true}},
			want: []string{"as it was"}},
	} {
		q := &result.Sufficiency{Records: 10, Alpha: 0.05, Rows: []sufficiency.Row{tt.row}}
		wordTests(q)
		wordTests(q)
		if got := q.Rows[0]; !slices.Equal(got.Notes, tt.want) {
			t.Errorf("%s: %q", tt.name, got.Notes)
		}
	}
}

// Every type of package note with a method Kind is worded: one that is added
// and not worded fails here.
func TestEveryCaveatHasASentence(t *testing.T) {
	paths, err := filepath.Glob("../harness/result/note/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var types, worded []string
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "Kind" {
				types = append(types, "note."+m.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	for _, tt := range samples {
		worded = append(worded, fmt.Sprintf("%T", tt.about))
	}
	slices.Sort(types)
	slices.Sort(worded)
	if worded = slices.Compact(worded); !slices.Equal(types, worded) || len(types) < 40 {
		t.Errorf("types of package note:\n%v\nworded here:\n%v", types, worded)
	}
}

// Notes that were read have their text and no caveat, and keep it.
func TestWordNotes(t *testing.T) {
	s := &result.Results{Cascades: []result.Cascade{{Datasets: []result.Dataset{{
		Notes: []result.Note{result.NewNote(note.Padding{Batch: 8}), {Kind: "padding", Text: "as it was"}},
		Rows:  []result.Row{{Notes: []result.Note{result.NewNote(note.Oracle{})}}},
		Learned: []result.Learned{{Notes: []result.Remark{{Text: "as it was"},
			{Caveat: note.Uncalibrated{Fits: 1, Of: 5}}}}},
		Split:       result.Split{Warnings: []result.Remark{{Text: "as it was"}, {Caveat: note.Drift{What: "β"}}}},
		Form:        result.Remark{Caveat: note.Form{}},
		Sufficiency: &result.Sufficiency{Notes: []result.Note{result.NewNote(note.DerivedStats{})}},
	}}}},
		Published: &result.Published{Groups: []result.PublishedGroup{{
			Differs: []result.Note{result.NewNote(note.OtherLimit{Published: 9})},
			Notes:   []result.Note{result.NewNote(note.Misprint{})},
			Rows:    []result.PublishedRow{{Notes: []result.Note{result.NewNote(note.OneDraw{})}}},
			Tests:   []result.PublishedTest{{Notes: []result.Note{result.NewNote(note.Undecided{})}}}}}}}
	b, err := result.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"text": ""`) {
		t.Errorf("worded before: %s", b)
	}
	WordNotes(s)
	if b, err = result.Encode(s); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), `"text": ""`) || strings.Count(string(b), "as it was") != 3 {
		t.Errorf("not all have their text: %s", b)
	}
	for _, want := range []string{`"kind": "padding"`, "padded batches of 8:", `"kind": "oracle"`, "Knows every error",
		"1 was not calibrated", "functions of β", "β differs between", "No records:", "all, published 9", "printed as",
		"is one draw", "Ours cannot decide"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %q in %s", want, b)
		}
	}
}
