// Package doctor examines the models of a study before it spends anything: what each model is, and
// whether its answers to real questions of the study are fit for the analysis. It owns the order of
// all checks, and those that are the same for every kind of model; a backend makes the checks of
// its own kind (backends.Examined). It refuses to store anything.
//
// Its opinion: a study that will fail should fail early, with the fix next to the failure; what
// cannot be found out is reported as unknown, not as fine.
package doctor

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/confidence"
)

// Patient is a model and a study's questions to it.
type Patient struct {
	Model   backends.Model
	Exam    backends.Examination
	Floor   float64 // of the probability on a classification's labels; less is doubtful
	Context int     // longest input in tokens, where the model's folder says; 0 = ask the model
	Trials  []Trial // one per dataset
}

// Trial is a dataset's questions to a model: a typical one, which is asked twice, and the longest,
// which is only measured.
type Trial struct {
	Dataset  string
	Question backends.Request
	Longest  string // prompt
	Thinks   bool   // replies with thoughts are answers
}

// Examine makes the checks of the model's backend, then asks each trial's question
// twice. A model that cannot be reached is not asked further.
func Examine(ctx context.Context, p Patient) (found []backends.Finding) {
	if m, ok := backends.Ability[backends.Examined](p.Model); ok {
		alive := false
		if found, alive = m.Examine(ctx, p.Exam); !alive {
			return found
		}
	}
	for _, t := range p.Trials {
		if ctx.Err() == nil {
			found = slices.Concat(found, trial(ctx, p, t), fits(p, t))
		}
	}
	return found
}

func trial(ctx context.Context, p Patient, t Trial) (found []backends.Finding) {
	add := func(v backends.Verdict, question, what, fix string) {
		found = append(found, v.On(question+" "+t.Dataset, what, fix))
	}
	start := time.Now()
	a, failure := ask(ctx, p, t)
	if failure != nil {
		add(backends.Broken, "asked", failure.Error(), "a run would fail in the same way: fix this first")
		return found
	}
	add(backends.Fine, "asked", fmt.Sprintf("%s in %s", brief(a.Text), time.Since(start).Round(time.Millisecond)), "")
	if len(t.Question.Labels) > 0 && a.Labels == nil {
		add(backends.Doubt, "labels", "this sample names none of the labels, and has no vote",
			"say in the prompt that the answer is one of the labels and nothing else")
	}
	if confidence.Hidden(a) {
		add(backends.Doubt, "log-probabilities",
			"0 for what was said and nothing of the rest: the server hides them, and the confidence is 1",
			"have it report them as they are before temperature (vLLM: --logprobs-mode raw_logprobs), or put the model last")
	}
	seen := 0
	for _, l := range a.Labels {
		if l.Seen {
			seen++
		}
	}
	if missing := len(a.Labels) - seen; missing > 0 && seen > 0 && !a.NoLogprobs {
		add(backends.Doubt, "labels seen", fmt.Sprintf("%d of %d labels were not reported; their probability is bounded, "+
			"and counted in the tables", missing, len(a.Labels)), moreTokens)
	}
	if len(a.Labels) > 0 && !a.NoLogprobs {
		add(mass(a, p.Floor))
	}
	b, failure := ask(ctx, p, t)
	differ := fmt.Sprintf("log-probabilities differ by up to %.2g", apart(a, b))
	switch {
	case failure != nil:
		add(backends.Doubt, "repeated", "answered once, then "+failure.Error(), "look at the server's log")
		return found
	case apart(a, b) == 0:
		add(backends.Fine, "repeated", "the same answer, to the bit", "")
		return found
	case math.IsInf(apart(a, b), 1):
		differ = fmt.Sprintf("at temperature %v answered %s, then %s", t.Question.Sampling.Temperature, brief(a.Text),
			brief(b.Text))
	}
	add(backends.Doubt, "repeated", "the same question twice: "+differ,
		"answers are stored, so tables repeat; a new collection may differ from this one")
	return found
}

const moreTokens = "raise top_logprobs where the server allows it, or serve the model where tokens can be asked for " +
	"by name"

// mass judges the probability mass on the labels of a classification.
func mass(a backends.Answer, floor float64) (v backends.Verdict, question, found, fix string) {
	question = "label mass"
	m, ok := a.Mass()
	words := fmt.Sprintf("%.3g of the probability is on the labels", m.Low)
	if m.Low != m.High {
		words = fmt.Sprintf("from %.3g to %.3g of the probability is on the labels", m.Low, m.High)
	}
	switch {
	case !ok:
		return backends.Unknown, question,
			"asked in this way, the model does not tell how much of its probability is on the labels", ""
	case m.High < floor:
		return backends.Doubt, question,
			words + ": it mostly says something that is no label, and its confidence is about the labels alone",
			"end the prompt so that a label follows, name the labels in it, or take words that the model would say"
	case m.Low < floor:
		return backends.Doubt, question, words + ": the rest is not reported", moreTokens
	}
	return backends.Fine, question, words, ""
}

// ask asks one question and checks the answer as a run does.
func ask(ctx context.Context, p Patient, t Trial) (backends.Answer, *backends.Failure) {
	r := t.Question
	answers, err := p.Model.Answer(ctx, []backends.Request{r})
	if err == nil && len(answers) != 1 {
		err = fmt.Errorf("%d answers to one question", len(answers))
	}
	if err != nil {
		return backends.Answer{}, &backends.Failure{Cause: backends.Internal, Message: err.Error()}
	}
	check := backends.Check
	if p.Exam.Student {
		check = backends.CheckStudent
	}
	if t.Thinks {
		answers[0] = answers[0].Found()
	}
	return answers[0], check(r, answers[0])
}

func brief(text string) string {
	const longest = 40
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// apart is the largest difference of log-probabilities between two answers to one question; +Inf if
// even their texts differ.
func apart(a, b backends.Answer) float64 {
	if a.Text != b.Text || len(a.Tokens) != len(b.Tokens) || len(a.Labels) != len(b.Labels) {
		return math.Inf(1)
	}
	distance := func(x, y float64) float64 {
		if x == y { // infinities, too
			return 0
		}
		return math.Abs(x - y)
	}
	worst := 0.0
	for i := range a.Tokens {
		worst = max(worst, distance(a.Tokens[i].Logprob, b.Tokens[i].Logprob))
	}
	for i := range a.Labels {
		if a.Labels[i].Seen != b.Labels[i].Seen {
			return math.Inf(1)
		}
		worst = max(worst, distance(a.Labels[i].Logprob, b.Labels[i].Logprob))
	}
	return worst
}

// fits reports whether the longest prompt of a dataset and its answer fit into the
// context, where both lengths are known.
func fits(p Patient, t Trial) []backends.Finding {
	counter, ok := backends.Ability[backends.TokenCounter](p.Model)
	if !ok || p.Context == 0 || t.Longest == "" {
		return nil
	}
	n, err := counter.CountTokens(t.Longest)
	most := p.Context - t.Question.MaxTokens
	f := backends.Fine.On("fits "+t.Dataset, fmt.Sprintf("the longest prompt has %d of %d tokens", n, p.Context), "")
	switch {
	case err != nil:
		f = backends.Doubt.On(f.Question, err.Error(), "")
	case n > most:
		f = backends.Doubt.On(f.Question, fmt.Sprintf("the longest prompt has %d tokens, the context takes %d next to the "+
			"answer: such prompts are cut, counted, and footnoted", n, most),
			`set truncate = "refuse" to leave them unanswered, or take a model with a longer context`)
	}
	return []backends.Finding{f}
}
