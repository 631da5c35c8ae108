package question

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/confidence"
	"infnet/harness/spec"
)

// asking are the questions to a model about its own answer. p-true: S. Kadavath et al., "Language models (mostly) know
// what they know", 2022, section 3; stated: K. Tian et al., "Just ask for calibration", EMNLP 2023, its two-stage form;
// self-verification: P. Aggarwal et al., "AutoMix", NeurIPS 2024, section 3.1, but without examples. The wording is the
// project's own.
var asking = map[confidence.Signal]string{
	confidence.PTrue: "Is the proposed answer true or false?\nA: true\nB: false\n\nReply with the letter A or B.\n" +
		"Letter:",
	confidence.StatedConfidence: "How likely is it that the proposed answer is right? Reply with a number from 0 to 1 " +
		"alone.\nProbability:",
	confidence.SelfVerification: "Check the proposed answer. Is it correct?\nA: it is correct.\nB: it is not " +
		"correct.\n\nReply with the letter A or B.\nLetter:",
}

// longestStated is the number of tokens in which a model states a probability.
const longestStated = 12

// Asking are the further requests to a model that a signal of its answer to example i takes: further samples, or
// questions about the answer.
func (s *Sheet) Asking(x *spec.Signal, i int, id backends.ModelID, m *spec.Model,
	a backends.Answer) (list []backends.Request) {
	sampled := backends.Sampling{Temperature: x.Temperature}
	if text := asking[x.Kind]; text != "" {
		remote, _ := m.Config.Remote()
		answer := a.Text
		if said, ok := s.Said(a); ok {
			answer = said.Text
		}
		r := backends.Request{Model: id, Mode: m.Mode, System: m.System, Served: remote.Served, Settings: remote.Engine(),
			Prompt: "Question:\n" + s.rendered(i) + "\n\nProposed answer: " + strings.TrimSpace(answer) + "\n\n" + text}
		switch x.Kind {
		case confidence.StatedConfidence:
			r.MaxTokens = longestStated
			return []backends.Request{r}
		case confidence.PTrue:
			r.Labels, r.LabelMode = []string{" A", " B"}, s.LabelMode(m.Name)
			return []backends.Request{r}
		}
		r.Labels, r.Sampling = []string{" A", " B"}, sampled
		for k := range x.Samples {
			r.Seed = uint64(k + 1)
			list = append(list, r)
		}
		return list
	}
	drawn := *m
	drawn.Samples = &spec.Samples{N: x.Samples, Sampling: sampled}
	return s.Requests(i, id, &drawn)
}

// Asked reads a signal from an answer and the replies to Asking, of which one that failed says nothing:
//
//	vote-share         share of the samples that say what the answer says
//	semantic-entropy   Σ p ln p over what the samples say, of shares p; those that state no answer say one thing
//	                   (both: by Votes, or by Close where the signal has a cosine, with the embeddings that vector finds)
//	p-true             P(A) of the two letters; none = −Inf
//	stated             the first number of the reply, in percent where it is above 1 or has a sign; none = −Inf
//	self-verification  share of the samples that say A
//
// why says why the replies do not have it.
func (s *Sheet) Asked(x *spec.Signal, a backends.Answer, replies []backends.Answer,
	vector func(string) ([]float32, error)) (value float64, why string, err error) {
	// vote-share: J. Cole et al., "Selectively answering ambiguous questions", EMNLP 2023, its repetition; X.
	// Wang et al., "Self-consistency improves chain of thought reasoning", ICLR 2023, asks the samples alone.
	// semantic-entropy: S. Farquhar et al., Nature 630 (2024), the discrete form.
	n := float64(len(replies))
	switch x.Kind {
	case confidence.VoteShare:
		groups, err := s.Close(append([]backends.Answer{a}, replies...), x.Cosine, vector)
		if len(groups) == 0 || groups[0][0] != 0 {
			return 0, "", err
		}
		return float64(len(groups[0])-1) / n, "", err
	case confidence.SemanticEntropy:
		groups, err := s.Close(replies, x.Cosine, vector)
		rest := len(replies)
		for _, g := range groups {
			p := float64(len(g)) / n
			value, rest = value+float64(p*calc.Log(p)), rest-len(g)
		}
		if p := float64(rest) / n; rest > 0 {
			value += float64(p * calc.Log(p))
		}
		return value, "", err
	case confidence.PTrue:
		if replies[0].Failure != nil {
			return math.Inf(-1), "", nil
		}
		r, err := confidence.Scale{Score: confidence.Softmax}.Read(replies[0])
		if err != nil || replies[0].NoLogprobs {
			return 0, "the replies have no log-probabilities of the letters", nil
		}
		return r.Probs[0], "", nil
	case confidence.StatedConfidence:
		return stated(replies[0].Text), "", nil
	}
	right := 0
	for _, r := range replies {
		if r.Text == " A" {
			right++
		}
	}
	return float64(right) / n, "", nil
}

var probability = regexp.MustCompile(`(\d+(?:[.,]\d+)?|[.,]\d+)\s*(%?)`)

// stated is the probability that a reply states; −Inf where it states none.
func stated(reply string) float64 {
	found := probability.FindStringSubmatch(reply)
	if found == nil {
		return math.Inf(-1)
	}
	p, _ := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", "."), 64)
	if found[2] == "%" || p > 1 {
		p /= 100
	}
	return min(p, 1)
}

// Samples reports whether a signal is of samples of the answer.
func Samples(x *spec.Signal) bool {
	return x.Kind == confidence.VoteShare || x.Kind == confidence.SemanticEntropy
}

// AsksItself reports whether some signal asks a student for letters.
func AsksItself(list []spec.Signal) bool {
	return slices.ContainsFunc(list, func(x spec.Signal) bool { return x.Kind == confidence.PTrue })
}
