package decisions

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/harness/calc"
)

// unusable is a reply that says nothing that can be trusted.
func unusable(format string, args ...any) *backends.Failure {
	return httpfailure.BadResponse("the server's answer cannot be used: "+format, args...)
}

// distribution is a probability for each option, in the order asked.
type distribution struct {
	of     []float64
	chosen int // one with the largest
}

// scores are the logarithms, so that a softmax gives the probabilities back.
func (d distribution) scores() []backends.LabelScore {
	out := make([]backends.LabelScore, len(d.of))
	for i, p := range d.of {
		out[i] = backends.LabelScore{Logprob: calc.Log(p), Seen: true}
	}
	return out
}

// number is a probability as it was written.
type number struct {
	value  float64
	digits int // behind the point
}

// probability reads a probability.
func probability(of string, written json.RawMessage) (number, *backends.Failure) {
	text := strings.TrimSpace(string(written))
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x > 1 {
		return number{}, unusable("%s is %.40q, and no probability", of, text)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, behind, _ := strings.Cut(mantissa, ".")
	shift, _ := strconv.Atoi(exponent)
	return number{x, max(len(behind)-shift, 0)}, nil
}

// fewestDigits are those to which a server may round: OpenAI's live replies have two (blockrun's page of its Decisions
// route, measured 2026-10-07), any2jev's have four.
const fewestDigits = 2

// slack is how far a sum of k probabilities may be from 1: half a unit of the last digit of each, and a thousandth for
// what was computed in 16 bits.
func slack(k, digits int) float64 {
	unit, err := strconv.ParseFloat("1e-"+strconv.Itoa(max(digits, fewestDigits)), 64)
	if err != nil {
		unit = 0
	}
	return max(1e-3, float64(k)*unit/2) + 1e-9
}

// outcome is an option of a reply.
type outcome struct {
	name  string
	given json.RawMessage
}

// spread brings the probabilities of a reply into the order of the options. Every option has to be there once and no
// other, they have to sum to 1, and the choice has to be one of the most probable.
func spread(options []option, found []outcome, choice string) (d distribution, f *backends.Failure) {
	place := map[string]int{}
	for i, o := range options {
		place[o.name] = i
	}
	d.of, d.chosen = make([]float64, len(options)), -1
	there := make([]bool, len(options))
	sum, best, digits := 0.0, 0.0, 0
	for _, o := range found {
		i, known := place[o.name]
		switch {
		case !known:
			return d, unusable("it has a probability of %.80q, which is none of the options", o.name)
		case there[i]:
			return d, unusable("it has two probabilities of %.80q", o.name)
		}
		p, f := probability("the probability of "+o.name, o.given)
		if f != nil {
			return d, f
		}
		there[i], d.of[i], best, digits = true, p.value, max(best, p.value), max(digits, p.digits)
		if o.name == choice {
			d.chosen = i
		}
	}
	for i, o := range options {
		if !there[i] {
			return d, unusable("it has no probability of the option %.80q", o.name)
		}
		sum += d.of[i]
	}
	switch {
	case !(math.Abs(sum-1) <= slack(len(options), digits)):
		return d, unusable("its probabilities sum to %v, not to 1", sum)
	case d.chosen < 0:
		return d, unusable("its choice %.80q is none of the options", choice)
	case d.of[d.chosen] < best:
		return d, unusable("its choice %.80q has the probability %v, and another option %v", choice, d.of[d.chosen], best)
	}
	return d, nil
}

// whether is the distribution of a yes-or-no question; as likely as not is the first label.
func whether(written json.RawMessage) (d distribution, f *backends.Failure) {
	p, f := probability("its answer", written)
	if f != nil {
		return d, f
	}
	d.of = []float64{p.value, 1 - p.value}
	if d.of[1] > d.of[0] {
		d.chosen = 1
	}
	return d, nil
}

// usage are the tokens that a reply counts. Nothing is generated, so where it counts those of the input alone there are
// no others.
func usage(input, output, cached *float64) (u backends.Usage) {
	count := func(x *float64) (c backends.Count) {
		switch {
		case x == nil:
		case *x >= 0 && *x < 1<<31 && *x == math.Trunc(*x):
			return backends.Counted(int(*x))
		default:
			u.Odd = true
		}
		return c
	}
	u.Prompt, u.Completion = count(input), count(output)
	if n, ok := u.Prompt.Known(); ok && output == nil {
		u.Completion = backends.Counted(0)
	} else if cached != nil && *cached > 0 && ok && *cached <= float64(n) {
		u.Cached = int(*cached)
	}
	return u
}

// The model's name is read from every reply. It counts as the model that was asked
//
//  1. where it is the name asked;
//  2. where it is the name asked, without a -latest at its end, and a version behind it: jev-latest is answered by
//     jev-1.13.0, openai/gpt-6-luna-decisions by openai/gpt-6-luna-decisions-20261006 (both as recorded in
//     github.com/etsabary/luna-decisions-benchmark).
//
// Every other name is another model's.
var version = regexp.MustCompile(`^-(\d+(\.\d+)*|20\d\d-[01]\d-[0-3]\d)(-20\d{6})?$`)

// answered returns the name in a reply, or a failure where it is another model's.
func (m *Model) answered(name string) (string, *backends.Failure) {
	asked := m.cfg.Served
	rest, behind := strings.CutPrefix(name, strings.TrimSuffix(asked, "-latest"))
	switch shown := m.wire.Secrets.Text(httpfailure.Clean(name)); {
	case name == asked:
		return name, nil
	case shown == "":
		return "", httpfailure.BadResponse("the reply names no model, and every reply of a decision model does")
	case behind && version.MatchString(rest):
		return shown, nil
	default:
		return "", httpfailure.Unsaid(backends.OtherModel,
			"the model %q was asked, and %q answered: set served = %q if that is the one meant", asked, shown, shown)
	}
}
