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
func Examine(ctx context.Context, p Patient) []backends.Finding {
	var found []backends.Finding
	if m, ok := backends.Ability[backends.Examined](p.Model); ok {
		findings, alive := m.Examine(ctx, p.Exam)
		if !alive {
			return findings
		}
		found = findings
	}
	for _, t := range p.Trials {
		if ctx.Err() != nil {
			return found
		}
		found = append(found, trial(ctx, p, t)...)
		found = append(found, fits(p, t)...)
	}
	return found
}

// trial asks one question twice.
func trial(ctx context.Context, p Patient, t Trial) []backends.Finding {
	start := time.Now()
	a, failure := ask(ctx, p, t)
	took := time.Since(start)
	chosen := chosen(ctx, p)
	if failure != nil {
		fix := "a run would fail in the same way: fix this first"
		if failure.Cause == backends.BadResponse && chosen != "" && chosen != backends.LabelsText {
			fix = "the probe got log-probabilities there, so the server contradicts itself: look at its log, and at gateways " +
				"before it; " + fix
		}
		return []backends.Finding{{Verdict: backends.Broken, Question: "asked " + t.Dataset, Found: failure.Error(),
			Fix: fix}}
	}
	found := []backends.Finding{{Question: "asked " + t.Dataset, Found: said(a, took)}}
	if len(t.Question.Labels) > 0 && a.Labels == nil {
		found = append(found, backends.Finding{Verdict: backends.Doubt, Question: "labels " + t.Dataset,
			Found: "this sample names none of the labels, and has no vote",
			Fix:   "say in the prompt that the answer is one of the labels and nothing else"})
	}
	if chosen != "" && a.By != "" && a.By != chosen && t.Question.Sampling.Greedy() { // samples are asked by the text
		found = append(found, backends.Finding{Verdict: backends.Doubt, Question: "labels " + t.Dataset,
			Found: fmt.Sprintf("the probe chose %s, and this question had to be asked by %s", chosen, a.By),
			Fix:   fmt.Sprintf("set labels = %q, or other words, so that all are asked in one way", a.By)})
	}
	if confidence.Hidden(a) {
		found = append(found, backends.Finding{Verdict: backends.Doubt, Question: "log-probabilities " + t.Dataset,
			Found: "0 for what was said and nothing of the rest: the server hides them, and the confidence is 1",
			Fix: "have it report them as they are before temperature (vLLM: --logprobs-mode raw_logprobs), or put the model " +
				"last"})
	}
	if missing := unseen(a); missing > 0 && missing < len(a.Labels) && !a.NoLogprobs {
		found = append(found, backends.Finding{Verdict: backends.Doubt, Question: "labels seen " + t.Dataset,
			Found: fmt.Sprintf("%d of %d labels were not reported; their probability is bounded, and counted in the tables",
				missing, len(a.Labels)),
			Fix: "raise top_logprobs where the server allows it, or serve the model where tokens can be asked for by name"})
	}
	found = append(found, mass(t, a, p.Floor)...)
	b, failure := ask(ctx, p, t)
	if failure != nil {
		return append(found, backends.Finding{Verdict: backends.Doubt, Question: "repeated " + t.Dataset,
			Found: "answered once, then " + failure.Error(), Fix: "look at the server's log"})
	}
	if d := apart(a, b); d != 0 {
		differ := fmt.Sprintf("log-probabilities differ by up to %.2g", d)
		switch {
		case a.Text != b.Text:
			differ = fmt.Sprintf("at temperature %v answered %s, then %s", t.Question.Sampling.Temperature, brief(a.Text),
				brief(b.Text))
		case math.IsInf(d, 1):
			differ = "not the same log-probabilities were reported"
		}
		return append(found, backends.Finding{Verdict: backends.Doubt, Question: "repeated " + t.Dataset,
			Found: "the same question twice: " + differ,
			Fix:   "answers are stored, so tables repeat; a new collection may differ from this one"})
	}
	return append(found, backends.Finding{Question: "repeated " + t.Dataset, Found: "the same answer, to the bit"})
}

// chosen is how the probe of a model's servers found that classifications are asked; "" = nothing was probed.
func chosen(ctx context.Context, p Patient) backends.LabelMode {
	if m, ok := backends.Ability[backends.Probed](p.Model); ok {
		if s, asked, err := m.Server(ctx, p.Exam.Mode); err == nil && asked && len(s.Labels[p.Exam.Mode]) > 0 {
			return s.Labels[p.Exam.Mode][0]
		}
	}
	return ""
}

// mass reports the probability mass on the labels of a classification.
func mass(t Trial, a backends.Answer, floor float64) []backends.Finding {
	if len(a.Labels) == 0 || a.NoLogprobs {
		return nil
	}
	f := backends.Finding{Question: "label mass " + t.Dataset}
	m, ok := a.Mass()
	words := fmt.Sprintf("%.3g of the probability is on the labels", m.Low)
	if m.Low != m.High {
		words = fmt.Sprintf("from %.3g to %.3g of the probability is on the labels", m.Low, m.High)
	}
	switch {
	case !ok:
		f.Verdict, f.Found = backends.Unknown,
			"asked in this way, the model does not tell how much of its probability is on the labels"
	case m.High < floor:
		f.Verdict, f.Found = backends.Doubt,
			words+": it mostly says something that is no label, and its confidence is about the labels alone"
		f.Fix = "end the prompt so that a label follows, name the labels in it, or take words that the model would say"
	case m.Low < floor:
		f.Verdict, f.Found = backends.Doubt, words+": the rest is not reported"
		f.Fix = "raise top_logprobs where the server allows it, or serve the model where tokens can be asked for by name"
	default:
		f.Found = words
	}
	return []backends.Finding{f}
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

// said describes an answer.
func said(a backends.Answer, took time.Duration) string {
	out := fmt.Sprintf("%s in %s", brief(a.Text), took.Round(time.Millisecond))
	switch u := a.Usage; {
	case u == backends.Usage{}:
		return out + ", tokens not reported"
	case u.Prompt.Plus(u.Completion).IsZero():
		return out + fmt.Sprintf(", tokens in: %v, out: %v", u.Prompt, u.Completion)
	default:
		return out + fmt.Sprintf(", %v tokens in, %v out", u.Prompt, u.Completion)
	}
}

// brief quotes the beginning of a text.
func brief(text string) string {
	const longest = 40
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// unseen counts the labels that were not reported.
func unseen(a backends.Answer) (n int) {
	for _, l := range a.Labels {
		if !l.Seen {
			n++
		}
	}
	return n
}

// apart is the largest difference of log-probabilities between two answers to one question; +Inf if
// even their texts differ.
func apart(a, b backends.Answer) float64 {
	if a.Text != b.Text || len(a.Tokens) != len(b.Tokens) || len(a.Labels) != len(b.Labels) {
		return math.Inf(1)
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

// distance is |x − y|; equal infinities are no distance apart.
func distance(x, y float64) float64 {
	if x == y {
		return 0
	}
	return math.Abs(x - y)
}

// fits reports whether the longest prompt of a dataset and its answer fit into the
// context, where both lengths are known.
func fits(p Patient, t Trial) []backends.Finding {
	counter, ok := backends.Ability[backends.TokenCounter](p.Model)
	if !ok || p.Context == 0 || t.Longest == "" {
		return nil
	}
	n, err := counter.CountTokens(t.Longest)
	if err != nil {
		return []backends.Finding{{Verdict: backends.Doubt, Question: "fits " + t.Dataset, Found: err.Error()}}
	}
	if most := p.Context - t.Question.MaxTokens; n > most {
		return []backends.Finding{{Verdict: backends.Doubt, Question: "fits " + t.Dataset,
			Found: fmt.Sprintf("the longest prompt has %d tokens, the context takes %d next to the answer: such prompts are "+
				"cut, counted, and footnoted", n, most),
			Fix: `set truncate = "refuse" to leave them unanswered, or take a model with a longer context`}}
	}
	return []backends.Finding{{Question: "fits " + t.Dataset,
		Found: fmt.Sprintf("the longest prompt has %d of %d tokens", n, p.Context)}}
}
