package note

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"infnet/harness/pool"
	"infnet/metrics/infer"
)

// Rival sets a policy beside the cheapest single model, or coin between two models, that errs at most the margin more.
type Rival struct {
	Verdict       string // of package pool
	Single        string // the model that the policy is; "" = none
	First, Second string
	P             float64 // chance of the second; 0 = the first alone
	Than          string  // the better single model
	Margin        float64 // errors per query
	Unheld        bool    // no rows were held out: nothing can be said
	Priced        bool    // costs are known

	Saved infer.Interval // what the cheaper of the two costs less, as a share of the other's cost; below 0 = the rival
	Error infer.Interval // errors per query of the policy minus those of the better single model

	// The price ratio at which the comparison changes, of a cascade of two models; nil = not defined.
	Turn *Turn
}

// Turn is the ratio of the student's to the master's price below which a cascade is cheaper than all its rivals.
type Turn struct {
	Student, Master string
	Ratio           float64 // now
	BreakEven       infer.Interval
}

// SingleModel is the kind of the comparison with a single model.
const SingleModel Kind = "single-model"

// Note says in a line whether a policy is worth it, and at which price ratio that changes.
func (r Rival) Note() Note {
	n := say(SingleModel, "Worth it? %s", r.verdict())
	switch {
	case r.Unheld || !r.Priced:
	case r.Verdict == string(pool.NotWorthIt):
		n.Line = "Not cheaper than the best single model, or two mixed at random, of no more error."
	case r.Verdict == string(pool.NotShown):
		n.Line = "Not shown to be cheaper than the best single model, or two mixed at random, of no more error."
	}
	return n
}

func (r Rival) verdict() string {
	than := fmt.Sprintf("it errs %s than %s alone", Points(r.Error), name(r.Than))
	var text string
	switch {
	case r.Unheld:
		return "That cannot be said: no rows were held out, and those that fit thresholds flatter them."
	case r.Verdict == string(pool.Same):
		return fmt.Sprintf("It is %s alone.", name(r.Single))
	case !r.Priced:
		text = "That depends on the prices, which are not known."
	case r.Verdict == string(pool.NotWorthIt):
		text = fmt.Sprintf("No: %s costs %s less and errs %s; %s.", r.asking(), ShareOfCost(Negative(r.Saved)),
			AtMost(r.Margin), than)
	case r.Verdict == string(pool.WorthIt):
		text = fmt.Sprintf("Yes: it costs %s less than %s, the cheapest way without a cascade to err %s, and %s.",
			ShareOfCost(r.Saved), r.asking(), AtMost(r.Margin), than)
	case r.Verdict == string(pool.ErrsLess):
		text = fmt.Sprintf("No single model errs so rarely: %s.", than)
	default:
		answer := "Not shown"
		if r.Verdict == string(pool.ErrsMore) {
			answer = "It errs more"
		}
		word, saved := "less", r.Saved
		if saved.Value < 0 {
			word, saved = "more", Negative(saved)
		}
		text = fmt.Sprintf("%s: it costs %s %s than %s, which errs %s; %s.", answer, ShareOfCost(saved), word, r.asking(),
			AtMost(r.Margin), than)
	}
	return strings.TrimSpace(text + " " + r.turn())
}

// asking names a rival as an activity.
func (r Rival) asking() string {
	if r.P == 0 {
		return fmt.Sprintf("asking %s alone", name(r.First))
	}
	return fmt.Sprintf("asking %s for %s %% of the queries at random and %s for the rest", name(r.First), Percent(1-r.P),
		name(r.Second))
}

// turn says at which price ratio the comparison changes.
func (r Rival) turn() string {
	t := r.Turn
	switch {
	case t == nil:
		return ""
	case t.BreakEven.High == 0 && t.BreakEven.Method == ByDefinition:
		return fmt.Sprintf("No price changes that: %s alone errs %s.", name(t.Student), AtMost(r.Margin))
	case t.BreakEven.High == 0:
		return fmt.Sprintf("No price changes that: too many queries are asked of %s.", name(t.Master))
	}
	text := fmt.Sprintf("The cascade is cheaper while %s costs less than %s of %s", name(t.Student),
		ShareOfCost(t.BreakEven), name(t.Master))
	if r.Priced {
		return text + fmt.Sprintf("; here it costs %.1f %%.", 100*t.Ratio)
	}
	return text + "."
}

// ByDefinition is the method of an interval that is no estimate.
const ByDefinition = "by definition"

// Points is a difference of errors, in percentage points: "0.5 points more [-1, 2]".
func Points(d infer.Interval) string {
	word := "more"
	if d.Value < 0 {
		word, d = "less", Negative(d)
	}
	return fmt.Sprintf("%s points %s [%s, %s]", decimals(100*d.Value, 2), word, decimals(100*d.Low, 2),
		decimals(100*d.High, 2))
}

// ShareOfCost is a share of a cost with its interval, in percent.
func ShareOfCost(iv infer.Interval) string {
	if iv.High-iv.Low < 1e-9 { // by definition, but for the order of sums
		return fmt.Sprintf("%.1f %%", 100*iv.Value)
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*iv.Value, 100*iv.Low, 100*iv.High)
}

// Percent is a share or a difference of shares in percent, without its sign.
func Percent(v float64) string { return decimals(100*v, Digits(100*v)) }

// AtMost says how much more errors count as none.
func AtMost(margin float64) string {
	if margin == 0 {
		return "no more"
	}
	return fmt.Sprintf("at most %s points more", Percent(margin))
}

// Negative is the same difference the other way round.
func Negative(iv infer.Interval) infer.Interval {
	iv.Value, iv.Low, iv.High = -iv.Value, -iv.High, -iv.Low
	return iv
}

// Digits is one decimal, or as many more as it takes, up to three, for none of the numbers but zero to print as zero.
func Digits(values ...float64) int {
	n := 1
	for ; n < 3; n++ {
		lost := false
		for _, v := range values {
			lost = lost || math.Abs(v) > 1e-9 && math.Abs(v) < 0.5*math.Pow10(-n)
		}
		if !lost {
			break
		}
	}
	return n
}

// decimals writes a finite number; a rounded zero has no sign.
func decimals(v float64, n int) string {
	s := strconv.FormatFloat(v, 'f', n, 64)
	if !strings.ContainsAny(s, "123456789") {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// Slower: queries take longer than with the last model alone: quantiles of the policy's times as shares of that
// model's.
func Slower(than string, p50, p99 float64) Note {
	return say("slower", "It takes time: the median query %.2g times, and the 99th percentile %.2g times, as long as "+
		"with %s alone.", p50, p99, name(than))
}

// NoTexts: a pool has no router, because its queries have no text.
func NoTexts() Note {
	return say("no-texts", "No router: it reads the queries' texts, and there are none. The prompt of the dataset would "+
		"name their column.")
}

// RouterPart: a pool's router learned from a part of the fit part.
func RouterPart(learned, of int) Note {
	return say("router-part", "The router learned from %d of the %d fit records, drawn at random.", learned, of)
}
