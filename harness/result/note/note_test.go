package note

import (
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/metrics/infer"
)

func TestWorth(t *testing.T) {
	iv := func(v, low, high float64) infer.Interval { return infer.Interval{Value: v, Low: low, High: high} }
	even := func(v, low, high float64) *infer.Interval { return new(iv(v, low, high)) }
	for _, tt := range []struct {
		about *result.Rival
		says  string
	}{
		{nil, "That cannot be said: no rows were held out"},
		{&result.Rival{First: "large", Than: "large", Verdict: "not worth it", Margin: .02,
			Saved: iv(-0.114, -0.13, -0.1), Error: iv(-0.00001, -0.01, 0.002),
			Ratio: 0.3, BreakEven: even(0.186, 0.17, 0.2)},
			"Worth it? No: asking large alone costs 11.4 % [10.0, 13.0] less and errs at most 2.0 points more; it errs 0.00 " +
				"points less [-0.20, 1.00] than large alone. The cascade is cheaper while small costs less than 18.6 % [17.0, " +
				"20.0] of large; here it costs 30.0 %."},
		{&result.Rival{First: "large", Second: "small", P: 0.25, Than: "large", Verdict: "worth it",
			Saved: iv(0.5, 0.4, 0.6), Error: iv(.01, -.02, .04)},
			"Yes: it costs 50.0 % [40.0, 60.0] less than asking large for 75.0 % of the queries at random and small for the " +
				"rest, the cheapest way without a cascade to err no more, and it errs 1.00 points more [-2.00, 4.00] than " +
				"large alone."},
		{&result.Rival{First: "large", Than: "large", Verdict: "errs more", Margin: .02, Saved: iv(0.5, 0.4, 0.6),
			Error: iv(.03, .01, .05)}, "It errs more: it costs 50.0 %"},
		{&result.Rival{First: "large", Than: "large", Verdict: "not shown", Margin: .005, Saved: iv(0.5, -0.1, 0.6)},
			"Not shown: it costs 50.0 % [-10.0, 60.0] less than asking large alone, which errs at most 0.5 points more"},
		{&result.Rival{First: "large", Than: "large", Verdict: "errs less", Error: iv(-.05, -.07, -.03)},
			"No single model errs so rarely: it errs 5.00 points less [3.00, 7.00] than large alone."},
		{&result.Rival{First: "small", Verdict: "not worth it", Margin: .02, Saved: iv(-1, -1, -1),
			BreakEven: &infer.Interval{Method: ByDefinition}},
			"No price changes that: small alone errs at most 2.0 points more."},
		{&result.Rival{Single: "small", Verdict: "same"}, "It is small alone."},
		{&result.Rival{BreakEven: even(0, 0, 0)},
			"That depends on the prices, which are not known. No price changes that: too many queries are asked of large."},
	} {
		if got := Worth(tt.about, "small", "large"); !strings.Contains(got.Text, tt.says) || got.Kind != SingleModel {
			t.Errorf("%+v, want %q", got, tt.says)
		}
	}
}
