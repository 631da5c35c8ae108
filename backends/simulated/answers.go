package simulated

import (
	"fmt"
	"math"
	"strings"

	"infnet/backends"
	"infnet/harness/calc"
)

func (m *Model) classify(r backends.Request, a *backends.Answer) *backends.Failure {
	right := named(r.Prompt, r.Labels)
	if right < 0 {
		return &backends.Failure{Cause: backends.BadRequest,
			Message: "an open-book model needs the right label in the prompt, and it names none of them"}
	}
	k := len(r.Labels)
	a.Labels = make([]backends.LabelScore, k)
	a.Usage.Completion = backends.Counted(1)
	if k == 1 {
		a.Text, a.Labels[0].Seen = r.Labels[0], true
		return nil
	}
	beta, wrong := m.draw(&r, 1/float64(k), k-1)
	said := right
	if wrong {
		said = (right + 1 + int(m.own("wrong", drawn(&r))*float64(k-1))) % k
	}
	if a.Text = r.Labels[said]; !r.Sampling.Greedy() {
		a.Labels, a.NoLogprobs = backends.Named(r.Labels, said), true
		return nil
	}
	// A draw at the very bottom would tie all labels: break the tie towards
	// what the model says.
	beta = max(beta, math.Nextafter(1/float64(k), 1)*(1+0x1p-40))
	rest := calc.Log1p(-beta) - calc.Log(float64(k-1))
	for i := range a.Labels {
		a.Labels[i] = backends.LabelScore{Logprob: rest, Seen: true}
	}
	a.Labels[said].Logprob = calc.Log(beta)
	return nil
}

// named returns the index of the label that occurs last in the prompt, by the
// end of its occurrence and then by its length; -1 where none does.
func named(prompt string, labels []string) int {
	best, end, size := -1, -1, 0
	for i, l := range labels {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		at := strings.LastIndex(prompt, l)
		if at < 0 {
			continue
		}
		if e := at + len(l); e > end || e == end && len(l) > size {
			best, end, size = i, e, len(l)
		}
	}
	return best
}

// generate answers a generation: the right answer or an invented word, one
// token per word, then the end token, all as likely as the model is sure.
func (m *Model) generate(r backends.Request, a *backends.Answer) *backends.Failure {
	if r.MaxTokens <= 0 {
		return &backends.Failure{Cause: backends.BadRequest,
			Message: fmt.Sprintf("max_tokens = %d: want more than 0", r.MaxTokens)}
	}
	right, ok := answerLine(r.Prompt)
	if !ok {
		return &backends.Failure{Cause: backends.BadRequest,
			Message: `an open-book model needs the right answer in the prompt, after "answer: ", and there is none`}
	}
	beta, wrong := m.draw(&r, 0, 1)
	text := right
	if wrong {
		text = fmt.Sprintf("mistaken%013x", uint64(m.own("wrong", r.Prompt)*0x1p52))
	}
	text = backends.BeforeStop(text, r.Stop)
	lp := min(0, calc.Log(beta))
	for _, word := range words(text) {
		a.Tokens = append(a.Tokens, backends.Token{Text: word, Logprob: lp})
	}
	a.Finish = backends.FinishEnd
	if len(a.Tokens) >= r.MaxTokens {
		a.Tokens, a.Finish = a.Tokens[:r.MaxTokens], backends.FinishLength
	} else {
		a.Tokens = append(a.Tokens, backends.Token{Logprob: lp, End: true})
	}
	for _, t := range a.Tokens {
		a.Text += t.Text
	}
	a.Usage.Completion = backends.Counted(len(a.Tokens))
	if !r.Sampling.Greedy() {
		a.Tokens, a.NoLogprobs = nil, true
	}
	return nil
}

// answerLine returns the rest of the line after the last "answer: ".
func answerLine(prompt string) (string, bool) {
	const mark = "answer: "
	at := strings.LastIndex(prompt, mark)
	if at < 0 {
		return "", false
	}
	line, _, _ := strings.Cut(prompt[at+len(mark):], "\n")
	return line, line != ""
}

// words cuts a text before every space that follows something else, so that
// the pieces concatenate to it.
func words(text string) []string {
	var out []string
	start := 0
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && text[i-1] != ' ' {
			out = append(out, text[start:i])
			start = i
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
