package reports

import (
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/metrics/infer"
)

// pricedStudy is a hand-made study of one pair whose errors have a price.
func pricedStudy(change func(p *result.Price)) *result.Results {
	loss := func(policy, title string, loss, more infer.Interval) result.Loss {
		e := at(.1, .02, 400)
		return result.Loss{Policy: policy, Title: title, Answered: infer.Interval{Value: 1, Low: 1, High: 1}, Error: &e,
			Cost: at(1, .1, 400), Loss: loss, More: more}
	}
	nothing := loss("abstain", "Answer nothing", infer.Interval{Value: 4, Low: 4, High: 4}, at(1, .5, 400))
	nothing.Error, nothing.Answered = nil, infer.Interval{}
	abstaining := loss("single-abstaining", "Ours, abstaining", at(3, .2, 400), infer.Interval{})
	abstaining.Answered, abstaining.Thresholds = at(.8, .05, 400), []result.AbstainThreshold{{Low: .2, High: .9}}
	p := &result.Price{ErrorCost: 20, AbstainCost: 4, Advice: "single-abstaining", Settled: true, Form: "single-priced",
		Rows: []result.Loss{loss("none", "small alone", at(5, .5, 400), at(2, .4, 400)), loss("all", "large alone",
			at(6, .5, 400), at(3, .4, 400)), loss("single-priced", "Ours, priced", at(3.1, .2, 400),
			at(.1, .05, 400)), abstaining, nothing}}
	change(p)
	d := phrasebook()
	d.Price = p
	return &result.Results{Version: result.Version, Name: "priced", Level: .95, Cascades: []result.Cascade{{Name: "pair",
		Models: []string{"small", "large"}, CostModel: "price", Unit: "USD", Summary: "mean", Target: "best",
		Datasets: []result.Dataset{d}}}}
}

// Each case is what a reader is told to do, in full.
func TestPriceSentences(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(p *result.Price)
		want   string
	}{
		{"settled", func(*result.Price) {}, "At 20 USD an error and 4 USD a query without an answer, take the cascade " +
			"that may abstain: it loses least, 3 USD " +
			"[2.8, 3.2] a query in cost, errors and missing answers; it answers 80.0 % [75.0, " +
			"85.0] with an error of 10.0 % [8.0, 12.0]."},
		{"open", func(p *result.Price) {
			p.Settled, p.Rows[0].More, p.Rows[4].More = false, at(.1, .2, 400), at(.1, .2, 400)
		}, "At 20 USD an error and 4 USD a query without an answer, these records do not settle what to do: the cascade " +
			"that may abstain loses least, 3 USD " +
			"[2.8, 3.2] a query in cost, errors and missing answers; it answers 80.0 % [75.0, " +
			"85.0] with an error of 10.0 % [8.0, 12.0], but it is not shown that small alone or answering nothing loses more."},
		{"two forms, neither shown to lose more", func(p *result.Price) {
			p.AbstainCost, p.Advice, p.Rows = 0, "multi-priced", append(p.Rows[:3:3], p.Rows[2])
			p.Rows[3].Policy, p.Rows[2].More, p.Rows[1].More = "multi-priced", at(.1, .2, 400), at(.1, .2, 400)
			p.Settled = false
		}, "At 20 USD an error, these records do not settle what to do: the cascade loses least, with a threshold per " +
			"class 3.1 USD [2.9, 3.3] a query in cost and errors, but it is not shown that large alone loses more."},
		{"two forms, one shown to lose more", func(p *result.Price) {
			p.AbstainCost, p.Advice, p.Rows = 0, "multi-priced", append(p.Rows[:3:3], p.Rows[2])
			p.Rows[3].Policy = "multi-priced"
		}, "At 20 USD an error, take the cascade with a threshold per class: it loses least, 3.1 USD [2.9, 3.3] a query in " +
			"cost and errors."},
		{"the master", func(p *result.Price) {
			p.AbstainCost, p.Advice, p.Rows = 0, "all", p.Rows[:3]
		}, "At 20 USD an error, ask large alone: it loses least, 6 USD [5.5, 6.5] a query in cost and errors."},
		{"nothing", func(p *result.Price) {
			p.Advice = "abstain"
		}, "At 20 USD an error and 4 USD a query without an answer, answer nothing: it loses least, 4 USD a query in cost, " +
			"errors and missing answers."},
		{"the cascade", func(p *result.Price) {
			p.AbstainCost, p.Advice, p.Rows = 0, "single-priced", p.Rows[:3]
		}, "At 20 USD an error, take the cascade: it loses least, 3.1 USD [2.9, 3.3] a query in cost and errors."},
	} {
		s := pricedStudy(tc.change)
		if got := strings.Join(priced(&s.Cascades[0], &s.Cascades[0].Datasets[0]), " "); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.name, got, tc.want)
		}
	}
}

// The table has a row per policy, the least in bold.
func TestPriceTable(t *testing.T) {
	if len(losses(pricedStudy(func(p *result.Price) { p.Rows = nil })).Columns) > 0 {
		t.Error("a table of a study without prices")
	}
	md, csv := written(t, losses(pricedStudy(func(*result.Price) {})))
	golden(t, "made/price.md", []byte(md+csv))
}
