package decisions

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/strictjson"
	"infnet/backends/wire"
	"infnet/harness/calc"
)

type distribution struct {
	of     []float64
	digits int // with which the most exact of them is written
	chosen int // one with the largest
}

// scores are the logarithms, so that a softmax gives the probabilities back. Of options that are as probable as the one
// chosen, which rounding makes so, each has the next smaller number: the class is the server's choice.
func (d distribution) scores() []backends.LabelScore {
	out := make([]backends.LabelScore, len(d.of))
	for i, p := range d.of {
		out[i] = backends.LabelScore{Logprob: calc.Log(p), Seen: true}
		if p == d.of[d.chosen] && i != d.chosen {
			out[i].Logprob = math.Nextafter(out[i].Logprob, math.Inf(-1))
		}
	}
	return out
}

// number is a probability as it was written.
type number struct {
	value  float64
	digits int // behind the point
}

// between reads a number from 0 to the most there may be: 1 of a probability.
func between(of string, written json.RawMessage, most float64) (number, *backends.Failure) {
	text := strings.TrimSpace(string(written))
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= most) {
		return number{}, unusable("%s is %.40q, and no number from 0 to %v", of, text, most)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, behind, _ := strings.Cut(mantissa, ".")
	shift, _ := strconv.Atoi(exponent)
	return number{x, max(len(behind)-shift, 0)}, nil
}

// fewestDigits are those to which a server may round: OpenAI's live replies have two (blockrun's page of its Decisions
// route, measured 2026-10-07), any2jev's have four.
const fewestDigits = 2

// rounding is by how much a number of so many digits may be off, or of fewestDigits where it has fewer.
func rounding(digits int) float64 {
	unit, _ := strconv.ParseFloat("1e-"+strconv.Itoa(max(digits, fewestDigits)), 64) // of too many digits 0
	return unit / 2
}

// computed is by how much a sum may be off that was computed in 16 bits.
const computed = 1e-3 + 1e-9

// sums reports whether the probabilities sum to 1, as far as their rounding tells: one that is written as 0 was not
// rounded up.
func (d distribution) sums() (float64, bool) {
	sum, positive := 0.0, 0
	for _, p := range d.of {
		if sum += p; p > 0 {
			positive++
		}
	}
	within := func(n int) float64 { return max(computed, float64(rounding(d.digits)*float64(n))) }
	return sum, sum >= 1-within(len(d.of)) && sum <= 1+within(positive)
}

// answer is an answer to a question. option_mass is the share of the next token's probability that
// fell on the options (maple-sdk's SystemOneAnswer); most servers say nothing of it.
type answer struct {
	Type          string          `json:"type"`
	Choice        *string         `json:"choice"`
	Probabilities json.RawMessage `json:"probabilities"`
	Confidence    json.RawMessage `json:"confidence"`
	Temperature   json.RawMessage `json:"temperature"`
	Mass          json.RawMessage `json:"option_mass"`
}

// answers are those of a reply by question. What the reply says of itself goes into an answer.
func answers(r *wire.Reply, to *backends.Answer) (all map[string]answer, f *backends.Failure) {
	var reply struct {
		Model   string          `json:"model"`
		Answers json.RawMessage `json:"answers"`
		Usage   struct {
			Input  *float64 `json:"input_tokens"`
			Output *float64 `json:"output_tokens"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if f = r.JSON(&reply); f == nil && httpfailure.Says(reply.Error) {
		f = httpfailure.Success(r.Body)
	}
	if f != nil {
		return nil, f
	}
	to.Model, to.Usage = reply.Model, usage(reply.Usage.Input, reply.Usage.Output)
	if err := strictjson.Unmarshal(reply.Answers, &all); err != nil {
		f = unusable("its answers: %v", err)
	}
	return all, f
}

// outcomes are the probabilities by option; what is no object has none, and is refused.
func (a answer) outcomes() (by map[string]json.RawMessage) {
	_ = strictjson.Unmarshal(a.Probabilities, &by)
	return by
}

// read checks an answer to a question with these options, and keeps what it says. labels are the options as a study has
// them.
func (a answer) read(options, labels []string, to *backends.Answer) (f *backends.Failure) {
	if a.Type != choice {
		return unusable("its answer has the type %.40q, and the question has %q", a.Type, choice)
	}
	optional := func(of string, written json.RawMessage, most float64) (x *float64) {
		if f == nil && len(written) > 0 && string(written) != "null" {
			var n number
			n, f = between(of, written, most)
			x = &n.value
		}
		return x
	}
	v := &backends.Vendor{Confidence: optional("its confidence", a.Confidence, 1),
		Temperature: optional("its temperature", a.Temperature, math.MaxFloat64)}
	if mass := optional("option_mass", a.Mass, 1); mass != nil {
		to.LabelMass = backends.Exactly(*mass)
	}
	if f == nil && a.Choice == nil {
		f = unusable("its answer has no choice")
	}
	if f != nil {
		return f
	}
	d, f := spread(options, a.outcomes(), *a.Choice)
	if f == nil {
		v.Probability = d.of[d.chosen]
		to.Text, to.Labels, to.Vendor = labels[d.chosen], d.scores(), v
	}
	return f
}

// spread brings the probabilities of a reply into the order of the options. Every option has to be there and no
// other, they have to sum to 1, and the choice has to be one of the most probable.
func spread(options []string, found map[string]json.RawMessage, choice string) (d distribution, f *backends.Failure) {
	d.of, d.chosen = make([]float64, len(options)), slices.Index(options, choice)
	best := 0.0
	for i, o := range options {
		given, there := found[o]
		if !there {
			return d, unusable("it has no probability of the option %.80q", o)
		}
		p, f := between("the probability of "+o, given, 1)
		if f != nil {
			return d, f
		}
		d.of[i], best, d.digits = p.value, max(best, p.value), max(d.digits, p.digits)
	}
	for name := range found {
		if !slices.Contains(options, name) {
			return d, unusable("it has a probability of %.80q, which is none of the options", name)
		}
	}
	sum, one := d.sums()
	switch {
	case !one:
		return d, unusable("its probabilities sum to %v, not to 1", sum)
	case d.chosen < 0:
		return d, unusable("its choice %.80q is none of the options", choice)
	case d.of[d.chosen] < best:
		return d, unusable("its choice %.80q has the probability %v, and another option %v", choice, d.of[d.chosen], best)
	}
	return d, nil
}

// usage are the tokens that a reply counts. Nothing is generated: if it counts the input alone there are no others.
func usage(input, output *float64) (u backends.Usage) {
	count := func(x *float64) (c backends.Count) {
		if x != nil && *x >= 0 && *x < 1<<31 && *x == math.Trunc(*x) {
			return backends.Counted(int(*x))
		}
		return c
	}
	u.Prompt, u.Completion = count(input), count(output)
	if _, ok := u.Prompt.Known(); ok && output == nil {
		u.Completion = backends.Counted(0)
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

// Same reports whether a model that replies by a name is the one that was asked.
func Same(asked, name string) bool {
	rest, behind := strings.CutPrefix(name, strings.TrimSuffix(asked, "-latest"))
	return name == asked || behind && version.MatchString(rest)
}
