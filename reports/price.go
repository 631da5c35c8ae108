package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

type lossRow = fact[result.Loss]

// losses is what every policy loses at the study's price of an error, where it gives one.
func losses(s *result.Results) (t table.Table) {
	list, groups := gather(s, func(p place) []result.Loss {
		if p.d.Price == nil {
			return nil
		}
		return p.d.Price.Rows
	})
	if len(list) == 0 {
		return t
	}
	abstains := slices.ContainsFunc(list, func(p place) bool { return p.d.Price.AbstainCost > 0 })
	given := prices(list[0].d.Price, list[0].c.Unit, list[0].c.Setting)
	t = table.Table{Kind: "price", Caption: cascadesCaption("What a query loses at "+given+": ", list)}
	of := func(head, field string, iv func(l *result.Loss) infer.Interval) column[lossRow] {
		return number(head, field, func(x lossRow) table.Number { return threeDigits(iv(x.r), 1) })
	}
	fill(&t, append(whereColumns[lossRow](&t, list),
		text("Policy", "policy", func(x lossRow) table.Part {
			if x.r.Policy == x.d.Price.Advice {
				return table.Plain(x.r.Title).Bold()
			}
			return table.Plain(x.r.Title)
		}),
		text("Policy id", "policy_id", func(x lossRow) string { return x.r.Policy }, csvOnly),
		number("Answered (%)", "answered", func(x lossRow) table.Part { return percents(x.r.Answered, 1) }, only(abstains)),
		number("Error among answered (%)", "error", func(x lossRow) any {
			if x.r.Error == nil {
				return "none"
			}
			return percents(*x.r.Error, 1)
		}),
		of("Cost", "cost", func(l *result.Loss) infer.Interval { return l.Cost }),
		of("Loss", "loss", func(l *result.Loss) infer.Interval { return l.Loss }),
		of("More than the least", "loss_more", func(l *result.Loss) infer.Interval { return l.More })), groups, nil)
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s, per query, in the unit of cost. Loss: cost, and %s. "+
		"Bold: the least. Priced policies lose least on the fit part, of those of their form; those that abstain leave a "+
		"query unanswered where the student's confidence is below a threshold.",
		withRanges(s), given)))
	return t
}

func prices(p *result.Price, unit, setting string) string {
	words := amount(p.ErrorCost, unit) + " an error"
	if setting == string(policy.Oracle) {
		words += " (a disagreement with the master)"
	}
	if p.AbstainCost > 0 {
		words += " and " + amount(p.AbstainCost, unit) + " a query without an answer"
	}
	return words
}

// amount is a number of units of cost in three digits.
func amount(v float64, unit string) string {
	return strings.TrimSpace(strconv.FormatFloat(v, 'g', 3, 64) + " " + unit)
}

func amounts(iv infer.Interval, unit string) string {
	if iv.Low == iv.High {
		return amount(iv.Value, unit)
	}
	return fmt.Sprintf("%s [%s, %s]", amount(iv.Value, unit), amount(iv.Low, ""), amount(iv.High, ""))
}

// pricing is what policies lose, with what its sentences say besides.
type pricing struct {
	*result.Price
	unit, setting string
}

// priced are the sentences of a dataset; none where the study gives errors no price.
func priced(c *result.Cascade, d *result.Dataset) []string {
	if d.Price == nil {
		return nil
	}
	return pricing{d.Price, c.Unit, c.Setting}.sentences()
}

// sentences say what to do at the price of an error.
func (p pricing) sentences() []string {
	best := result.Find(p.Rows, func(l *result.Loss) bool { return l.Policy == p.Advice })
	if best == nil || !finite(best.Loss) {
		return nil
	}
	var open []string
	form, _, _ := strings.Cut(best.Policy, "-")
	sibling := p.sibling(best)
	for i := range p.Rows {
		l := &p.Rows[i]
		way := p.way(l)
		if l != best && l != sibling && !(l.More.Low > 0) && !slices.Contains(open, way) {
			open = append(open, way)
		}
	}
	what := amounts(best.Loss, p.unit) + " a query in cost and errors"
	if p.AbstainCost > 0 {
		what = amounts(best.Loss, p.unit) + " a query in cost, errors and missing answers"
	}
	if (best.Thresholds != nil || best.Alone != nil) && best.Error != nil {
		what += fmt.Sprintf("; it answers %s with an error of %s", share(best.Answered), share(*best.Error))
	}
	if sibling != nil && !(sibling.More.Low > 0) {
		what = "with " + forms[form] + " " + what
	}
	do := "take " + p.way(best)
	switch best.Policy {
	case "none", "all":
		do = "ask " + p.way(best)
	case "none-abstaining", "all-abstaining":
		do = "ask " + p.way(best) + " below a confidence of " + strconv.FormatFloat(float64(*best.Alone), 'g', 6, 64)
	case "abstain":
		do = "answer nothing"
	}
	said := fmt.Sprintf("At %s, %s: it loses least, %s.", prices(p.Price, p.unit, p.setting), do, what)
	if !p.Settled {
		said = fmt.Sprintf("At %s, these records do not settle what to do: %s loses least, %s, but it is not shown that %s "+
			"more.", prices(p.Price, p.unit, p.setting), p.way(best), what, either(open)+" loses")
	}
	return []string{said}
}

var forms = map[string]string{ourSingle: "one threshold", ourMulti: "a threshold per class"}

// way names a policy as a way to answer queries, and its form only where the other form is shown to lose more.
func (p pricing) way(l *result.Loss) string {
	form, what, _ := strings.Cut(l.Policy, "-")
	switch l.Policy {
	case "none", "all":
		return short(l.Title)
	case "none-abstaining", "all-abstaining":
		return short(strings.TrimSuffix(l.Title, ", abstaining")) + ", silent"
	case "abstain":
		return "answering nothing"
	}
	words := "the cascade"
	if what == "abstaining" {
		words = "the cascade that may abstain"
	}
	if other := p.sibling(l); other != nil && other.More.Low > 0 {
		words += " with " + forms[form]
	}
	return words
}

// sibling is the same policy with the other form of thresholds; nil = there is none.
func (p pricing) sibling(l *result.Loss) *result.Loss {
	form, what, _ := strings.Cut(l.Policy, "-")
	if forms[form] == "" {
		return nil // one model alone
	}
	return result.Find(p.Rows, func(l *result.Loss) bool {
		f, w, _ := strings.Cut(l.Policy, "-")
		return what != "" && w == what && f != form && forms[f] != ""
	})
}
