package cost

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"infnet/backends"
)

// Prices are what a provider charges, in currency per million tokens.
type Prices struct {
	Input  float64 // per million prompt tokens, ≥ 0
	Output float64 // per million generated tokens, ≥ 0
}

// Basis is the data by which one model's answers are priced. Only the part for the
// study's cost model is used.
type Basis struct {
	Shape  backends.Shape // tflops
	Prices Prices         // price
	Fixed  float64        // fixed: the cost of one answer, > 0, in a unit of the study's choice

	// Recorded is the cost that was recorded with this very answer: a Basis for it is of one answer.
	Recorded *float64
}

// Check reports, before any answer is collected, why a model's answers could not be
// priced. For latency, tokens and recorded costs there is nothing to check.
func (b Basis) Check(m Model) error {
	switch m {
	case TFLOPs:
		return checkShape(b.Shape)
	case Price:
		if bad(b.Prices.Input) || bad(b.Prices.Output) {
			return fmt.Errorf("price per million tokens (input %v, output %v) must be a non-negative number", b.Prices.Input,
				b.Prices.Output)
		}
	case Fixed:
		if bad(b.Fixed) || b.Fixed == 0 {
			return fmt.Errorf("fixed cost %v of an answer must be a positive number", b.Fixed)
		}
	case Latency, Tokens, Recorded:
	default:
		return fmt.Errorf("unknown cost model %q", string(m))
	}
	return nil
}

func bad(x float64) bool { return x < 0 || math.IsNaN(x) || math.IsInf(x, 0) }

// PerAnswer returns the cost of one answer, in the unit of the model: TFLOPs,
// currency, seconds, tokens, or the spec's own for fixed costs. Prompt tokens
// count in full whatever Usage.Cached says: the saving of a prefix cache is a fact about a run, not about a
// query. Generated tokens include those of reasoning, which vendors bill as
// generated.
//
// It is an error where the counts cannot be those of an answer: negative, or no
// token at all; and for latency where there is no measured time.
func PerAnswer(m Model, b Basis, t Counts, latency time.Duration) (float64, error) {
	if err := b.Check(m); err != nil {
		return 0, err
	}
	if m != Latency && m != Fixed && m != Recorded && (t.Prompt < 0 || t.Completion < 0 || t.Prompt+t.Completion == 0) {
		return 0, fmt.Errorf("cost model %s needs the answer's token counts, but it has %d prompt and %d generated tokens", m,
			t.Prompt, t.Completion)
	}
	switch m {
	case TFLOPs:
		f, err := FLOPs(b.Shape, t.Prompt, t.Completion)
		return f / 1e12, err
	case Price:
		in := float64(float64(t.Prompt) * b.Prices.Input)
		out := float64(float64(t.Completion) * b.Prices.Output)
		return (in + out) / 1e6, nil
	case Latency:
		if latency <= 0 {
			return 0, fmt.Errorf("cost model %s needs the answer's measured time, but it reports %v", Latency, latency)
		}
		return latency.Seconds(), nil
	case Tokens:
		return float64(t.Prompt + t.Completion), nil
	case Recorded:
		if b.Recorded == nil || bad(*b.Recorded) {
			return 0, fmt.Errorf("cost model %s needs the cost that was recorded with the answer, and it has none", Recorded)
		}
		return *b.Recorded, nil
	default: // Fixed, by Check
		return b.Fixed, nil
	}
}

// CharactersPerToken is the rule of thumb for texts without a token count.
const CharactersPerToken = 4

// Counts are the tokens behind a cost. Estimated counts are marked.
type Counts struct {
	Prompt, Completion int

	PromptEstimated, CompletionEstimated bool
}

func (t Counts) Estimated() bool { return t.PromptEstimated || t.CompletionEstimated }

// Plus is the sum; of an estimate and a number it is an estimate.
func (t Counts) Plus(o Counts) Counts {
	return Counts{t.Prompt + o.Prompt, t.Completion + o.Completion,
		t.PromptEstimated || o.PromptEstimated, t.CompletionEstimated || o.CompletionEstimated}
}

// Count returns the tokens of one call with its request and answer. Reported counts
// are used unchanged; of a part that was not reported,
//
//	completion  0 of a decision model, which writes nothing; 1 for a classification
//	            by the label's first token; the number of the answer's tokens,
//	            where it lists them; else ⌈characters/4⌉
//	            of its text, an estimate; and ⌈characters/4⌉ of thoughts apart
//	            from the text, an estimate
//	prompt      ⌈characters/4⌉, an estimate
//
// This is the one rule for costs, budgets and plans alike.
func Count(r backends.Request, a backends.Answer, u backends.Usage) Counts {
	var t Counts
	var known bool
	if t.Prompt, known = u.Prompt.Known(); !known {
		t.Prompt, t.PromptEstimated = Estimate(r), true
	}
	if t.Completion, known = u.Completion.Known(); known {
		return t
	}
	thoughts := perToken(utf8.RuneCountInString(a.Thoughts))
	switch {
	case r.Question != "":
	case len(r.Labels) > 0 && a.By != backends.LabelsText:
		t.Completion = 1
	case len(a.Tokens) > 0:
		t.Completion, t.CompletionEstimated = len(a.Tokens)+thoughts, thoughts > 0
	default:
		t.Completion, t.CompletionEstimated = perToken(utf8.RuneCountInString(a.Text))+thoughts, true
	}
	return t
}

// Estimate returns the estimated tokens of a request's prompt: ⌈characters/4⌉. A decision model reads the question, and
// every label with what it means, besides.
func Estimate(r backends.Request) int {
	n := utf8.RuneCountInString(r.System) + utf8.RuneCountInString(r.Prompt)
	for _, e := range r.Examples {
		n += utf8.RuneCountInString(e.Prompt) + utf8.RuneCountInString(e.Answer)
	}
	if r.Question != "" {
		n += utf8.RuneCountInString(r.Question + strings.Join(r.Labels, "") + strings.Join(r.Criteria, ""))
	}
	return perToken(n)
}

func perToken(characters int) int { return (characters + CharactersPerToken - 1) / CharactersPerToken }
