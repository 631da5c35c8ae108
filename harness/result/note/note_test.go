package note

import (
	"strings"
	"testing"

	"infnet/metrics/infer"
)

func TestRival(t *testing.T) {
	iv := func(v, low, high float64) infer.Interval { return infer.Interval{Value: v, Low: low, High: high} }
	for _, tt := range []struct {
		about Rival
		says  string
	}{
		{Rival{Unheld: true}, "That cannot be said: no rows were held out"},
		{Rival{First: "large", Than: "large", Priced: true, Verdict: "not worth it", Margin: .02,
			Saved: iv(-0.114, -0.13, -0.1), Error: iv(-0.00001, -0.01, 0.002),
			Turn: &Turn{Student: "small", Master: "large", Ratio: 0.3, BreakEven: iv(0.186, 0.17, 0.2)}},
			"Worth it? No: asking large alone costs 11.4 % [10.0, 13.0] less and errs at most 2.0 points more; it errs 0.00 " +
				"points less [-0.20, 1.00] than large alone. The cascade is cheaper while small costs less than 18.6 % [17.0, " +
				"20.0] of large; here it costs 30.0 %."},
		{Rival{First: "large", Second: "small", P: 0.25, Than: "large", Priced: true, Verdict: "worth it",
			Saved: iv(0.5, 0.4, 0.6), Error: iv(.01, -.02, .04)},
			"Yes: it costs 50.0 % [40.0, 60.0] less than asking large for 75.0 % of the queries at random and small for the " +
				"rest, the cheapest way without a cascade to err no more, and it errs 1.00 points more [-2.00, 4.00] than " +
				"large alone."},
		{Rival{First: "large", Than: "large", Priced: true, Verdict: "errs more", Margin: .02, Saved: iv(0.5, 0.4, 0.6),
			Error: iv(.03, .01, .05)}, "It errs more: it costs 50.0 %"},
		{Rival{First: "large", Than: "large", Priced: true, Verdict: "not shown", Margin: .005, Saved: iv(0.5, -0.1, 0.6)},
			"Not shown: it costs 50.0 % [-10.0, 60.0] less than asking large alone, which errs at most 0.5 points more"},
		{Rival{First: "large", Than: "large", Priced: true, Verdict: "errs less", Error: iv(-.05, -.07, -.03)},
			"No single model errs so rarely: it errs 5.00 points less [3.00, 7.00] than large alone."},
		{Rival{First: "small", Priced: true, Verdict: "not worth it", Margin: .02, Saved: iv(-1, -1, -1),
			Turn: &Turn{Student: "small", BreakEven: infer.Interval{Method: ByDefinition}}},
			"No price changes that: small alone errs at most 2.0 points more."},
		{Rival{Single: "small", Verdict: "same"}, "It is small alone."},
		{Rival{Turn: &Turn{Student: "small", Master: "large"}},
			"That depends on the prices, which are not known. No price changes that: too many queries are asked of large."},
	} {
		if got := tt.about.Note(); !strings.Contains(got.Text, tt.says) || got.Kind != SingleModel {
			t.Errorf("%+v, want %q", got, tt.says)
		}
	}
}

// Sentences whose parts depend on what was found.
func TestSentences(t *testing.T) {
	learner := Learner{Name: "light", Reads: "query", Estimates: "the probability that it is right", Charge: "router",
		Overhead: Operations, Cost: 1234.5, Unit: "TFLOPs"}
	for got, want := range map[string]string{
		Coins{P: 0.5, Draws: 2, Metric: "F1", Mean: 0.5, Low: 0.4, High: 0.6, Level: 0.95, Rival: &Rival{First: "m",
			Second: "s", P: 0.5, Saved: infer.Interval{Value: -.071, Low: -.071, High: -.071}}}.Note().Text: "The exact " +
			"expectation of deferring with probability 0.5. 2 single draws gave a mean F1 of 0.5000, 95 % of them between " +
			"0.4000 and 0.6000. Worth it? No: asking m for 50.0 % of the queries at random and s for the rest costs 7.1 % " +
			"less and errs no more.",
		Guarantee{Method: "crc", Level: 0.1, Reference: "master", Largest: 9}.Certified().Text: "the error of records " +
			"drawn like the fit part, in groups of at most 9, is at most 0.1 above that of the master alone, on average over " +
			"fit parts.",
		Drift{What: "the error rate of large", Fit: 300, Test: 200, P: 1e-5, By: "fisher", Level: 0.001, Column: "part",
			Models: 2, Rates: [2]float64{8.67, 24.3}}.String(): "the error rate of large (8.7 % and 24.3 %) differs between " +
			"the fit part (300 records) and the test part (200): p = 1e-05 (fisher, adjusted for 2 models); what is fitted " +
			"on the one may not hold on the other (the parts are those of the column \"part\", and nothing says that they " +
			"were drawn from one source)",
		Drift{What: "β", By: "fisher", Level: 0.01}.String(): "by chance about 1 such test in 100 warns",
		Form{Classes: 2, Least: .004, Rising: []RisingClass{{Class: "Sports", P: .004}},
			Price: &FormPrice{Met: true, With: 16.5, Without: 10, Loss: 6.5}}.String(): "in 1 of 2 classes the student's " +
			"excess error rises with its confidence somewhere, so some surer answers deserve deferral before less sure " +
			"ones: Sports (adjusted p = 0.004). The best thresholds for these records defer 16.5 % of the queries, " +
			"accepting by estimated excess error (out of fold) 10.0 %: the form costs 6.5 points at least.",
		Form{Classes: 1, Least: 1, Price: &FormPrice{}}.String(): "(p = 1). Its price could not be measured",
		learner.Router("accuracy", 0.01, true).Text: "A learner (light) reads the query and estimates the probability that " +
			"it is right; the threshold is from out-of-fold scores of the fit part. It saves most with a mean accuracy at " +
			"most 0.01 of the master's below the master's (δ). Charged as a router; every query also pays the learner's own " +
			"operations, 1.23e+03 TFLOPs.",
		learner.Score("Ours", false, true).Text:                    "costs more than all that Ours defers on the fit part",
		BatchPrices(true, []BatchPrice{{"small", 3, 4, 0.5}}).Text: "all others the list price: small 3 of 4 (50 % off).",
		OtherLimit(0, 9).Text:                                      "Number of records: all, published 9.",
		OtherDirection("en-de", "x").Text:                          "Direction: English into German, published not said.",
		OtherTest(10, 0, 8).Text:                                   "Ours: the covariance measures, on 8 random halves",
		PairsOnly(true, []string{"kde"}, false).Text: "in tables of their own: thresholds per class; other ways to find a " +
			"policy (kde).",
		ExtraModel([]string{"b"}, [2]string{"a", "c"}, "no", infer.Interval{Value: 1}, infer.Interval{Value: .01}).Text: "" +
			"Asking b too does not pay: at the same budget the chain saves 1.00 percentage points",
		Uncalibrated(1, 5).Text: "Of the 5 fits that made the out-of-fold scores, 1 was not calibrated:",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}
