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

type outcome struct {
	name  string
	level string // what the reply says that the level of a score means; "" = nothing
	given json.RawMessage
}

// predicate is what OpenAI calls noul.
const predicate = "predicate"

// answer is an answer of either protocol and any type. option_mass is the share of the next token's probability that
// fell on the options (maple-sdk's SystemOneAnswer); most servers say nothing of it.
type answer struct {
	Type          string          `json:"type"`
	Name          string          `json:"name"` // OpenAI: of the question; null of one without
	Choice        *string         `json:"choice"`
	Score         json.RawMessage `json:"score"` // the mean of the levels' numbers
	Noul          json.RawMessage `json:"noul"`
	Probability   json.RawMessage `json:"probability"` // of a predicate
	Probabilities json.RawMessage `json:"probabilities"`
	Legend        map[string]any  `json:"legend"` // what the levels mean
	Confidence    json.RawMessage `json:"confidence"`
	Temperature   json.RawMessage `json:"temperature"`
	Mass          json.RawMessage `json:"option_mass"`

	listed bool // the reply is OpenAI's
}

// answers are those of a reply by question, which System One has as an object and OpenAI as a list. A reply in the
// form of another protocol than by is none; "" = either is one. What the reply says of itself goes into an answer.
func answers(r *wire.Reply, by backends.DecisionsProtocol, to *backends.Answer) (all map[string]answer,
	f *backends.Failure) {
	var reply struct {
		Model   string          `json:"model"`
		Answers json.RawMessage `json:"answers"`
		Usage   struct {
			Input   *float64 `json:"input_tokens"`
			Output  *float64 `json:"output_tokens"`
			Details struct {
				Cached *float64 `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if f = r.JSON(&reply); f == nil && httpfailure.Says(reply.Error) {
		f = httpfailure.Success(r.Body)
	}
	if f != nil {
		return nil, f
	}
	u := reply.Usage
	to.Model, to.Usage = reply.Model, usage(u.Input, u.Output, u.Details.Cached)
	var list []answer
	into, listed := any(&all), strings.HasPrefix(string(reply.Answers), "[")
	if listed {
		all, into = map[string]answer{}, &list
	}
	if err := strictjson.Unmarshal(reply.Answers, into); err != nil {
		f = unusable("its answers: %v", err)
	} else if by != "" && listed != (by == backends.OpenAIDecisions) {
		f = unusable("its answers are not in the form of the protocol %q: is another one meant?", by)
	}
	for _, a := range list {
		if a.listed, a.Noul = true, nil; a.Type == predicate {
			a.Type, a.Noul = string(backends.AsNoul), a.Probability
		}
		all[a.Name] = a
	}
	if f == nil && listed && len(all) != len(list) {
		f = unusable("it answers a question twice")
	}
	return all, f
}

// outcomes are the options of a choice or a score, which System One has as an object and OpenAI as a list.
func (a answer) outcomes() (out []outcome) {
	if !a.listed {
		var by map[string]json.RawMessage
		_ = strictjson.Unmarshal(a.Probabilities, &by) // what is none has no options, and is refused
		for name, p := range by {
			text, _ := a.Legend[name].(string)
			out = append(out, outcome{name, text, p})
		}
		return out
	}
	var list []struct {
		Value       json.RawMessage `json:"value"` // of a choice a text, of a score the level's number
		Label       string          `json:"label"`
		Probability json.RawMessage `json:"probability"`
	}
	_ = strictjson.Unmarshal(a.Probabilities, &list)
	for _, p := range list {
		name := string(p.Value)
		if a.Type == string(backends.AsChoice) {
			_ = json.Unmarshal(p.Value, &name) // what is no text is no option
		}
		out = append(out, outcome{name, p.Label, p.Probability})
	}
	return out
}

// read checks an answer to the question, and keeps what it says.
func (q asked) read(a answer, to *backends.Answer) (f *backends.Failure) {
	switch {
	case a.Type == "refusal":
		return httpfailure.Parts{Refused: "an answer of type refusal"}.Denied()
	case a.Type != string(q.form):
		return unusable("its answer has the type %.40q, and the question has %q", a.Type, q.form)
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
	var d distribution
	switch {
	case f != nil:
	case q.form == backends.AsNoul:
		d, f = whether(a.Noul)
	case q.form == backends.AsScore:
		d, f = q.rated(a)
	case a.Choice == nil:
		f = unusable("its answer has no choice")
	default:
		d, f = spread(q.options, a.outcomes(), a.Choice)
	}
	if f == nil {
		v.Probability = d.of[d.chosen]
		to.Text, to.Labels, to.Vendor = q.labels[d.chosen], d.scores(), v
	}
	return f
}

// rated is the distribution over levels, named by their numbers from 0. The first of the most probable is chosen, and
// the score has to be the mean of the numbers.
func (q asked) rated(a answer) (d distribution, f *backends.Failure) {
	levels, found := slices.Clone(q.options), a.outcomes()
	for i, o := range levels {
		levels[i].name = strconv.Itoa(i)
		for _, x := range found {
			if x.name == levels[i].name && x.level != "" && x.level != o.name && x.level != o.meaning() && !q.foreign {
				return d, unusable("its level %d is %.80q, and %.80q was asked", i, x.level, o.meaning())
			}
		}
	}
	if d, f = spread(levels, found, nil); f != nil {
		return d, f
	}
	k, mean := len(levels), 0.0
	score, f := between("its score", a.Score, float64(k-1))
	for i, p := range d.of {
		mean += float64(float64(i) * p)
	}
	most := max(float64(computed*float64(k-1)), float64(rounding(d.digits)*float64(k*(k-1)/2))) + rounding(score.digits)
	if f == nil && math.Abs(mean-score.value) > most {
		f = unusable("its score is %v, and the mean of its levels %v", score.value, mean)
	}
	return d, f
}

// spread brings the probabilities of a reply into the order of the options. Every option has to be there once and no
// other, they have to sum to 1, and the choice has to be one of the most probable; nil = the first of these.
func spread(options []option, found []outcome, choice *string) (d distribution, f *backends.Failure) {
	place := map[string]int{}
	for i, o := range options {
		place[o.name] = i
	}
	d.of, d.chosen = make([]float64, len(options)), -1
	best := 0.0
	for _, o := range found {
		i, known := place[o.name]
		if !known {
			return d, unusable("it has a probability of %.80q, which is none of the options, or given twice", o.name)
		}
		delete(place, o.name)
		p, f := between("the probability of "+o.name, o.given, 1)
		if f != nil {
			return d, f
		}
		d.of[i], best, d.digits = p.value, max(best, p.value), max(d.digits, p.digits)
		if choice != nil && o.name == *choice {
			d.chosen = i
		}
	}
	if choice == nil {
		d.chosen, choice = slices.Index(d.of, best), new("")
	}
	for _, o := range options {
		if _, missing := place[o.name]; missing {
			return d, unusable("it has no probability of the option %.80q", o.name)
		}
	}
	sum, one := d.sums()
	switch {
	case !one:
		return d, unusable("its probabilities sum to %v, not to 1", sum)
	case d.chosen < 0:
		return d, unusable("its choice %.80q is none of the options", *choice)
	case d.of[d.chosen] < best:
		return d, unusable("its choice %.80q has the probability %v, and another option %v", *choice, d.of[d.chosen], best)
	}
	return d, nil
}

// whether is the distribution of a yes-or-no question; as likely as not is the first label.
func whether(written json.RawMessage) (d distribution, f *backends.Failure) {
	p, f := between("its answer", written, 1)
	if f != nil {
		return d, f
	}
	d.of = []float64{p.value, 1 - p.value}
	if d.of[1] > d.of[0] {
		d.chosen = 1
	}
	return d, nil
}

// usage are the tokens that a reply counts. Nothing is generated: if it counts the input alone there are no others.
func usage(input, output, cached *float64) (u backends.Usage) {
	count := func(x *float64) (c backends.Count) {
		if x != nil && *x >= 0 && *x < 1<<31 && *x == math.Trunc(*x) {
			return backends.Counted(int(*x))
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

// Same reports whether a model that replies by a name is the one that was asked.
func Same(asked, name string) bool {
	rest, behind := strings.CutPrefix(name, strings.TrimSuffix(asked, "-latest"))
	return name == asked || behind && version.MatchString(rest)
}
