package confidence

import (
	"math"
	"slices"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/choice"
	"infnet/harness/curve"
)

// Signal is what may tell a right answer from a wrong one: a score on a scale of its own, larger where the answer is
// more likely right.
type Signal string

// The signals that come with an answer.
const (
	MaxProbability Signal = "max-probability"
	Margin         Signal = "margin"
	Entropy        Signal = "entropy"
	TokenMin       Signal = "token-min"
	TokenMean      Signal = "token-mean"
	TokenQuantile  Signal = "token-quantile"
	Length         Signal = "length"
	LabelMass      Signal = "label-mass"
	Recorded       Signal = "vendor"
)

// The signals that take further calls of the model.
const (
	VoteShare        Signal = "vote-share"
	SemanticEntropy  Signal = "semantic-entropy"
	PTrue            Signal = "p-true"
	StatedConfidence Signal = "stated"
	SelfVerification Signal = "self-verification"
)

func Signals() []Signal {
	return []Signal{MaxProbability, Margin, Entropy, TokenMin, TokenMean, TokenQuantile, Length, LabelMass, Recorded,
		VoteShare, SemanticEntropy, PTrue, StatedConfidence, SelfVerification}
}

// Calls reports whether the signal takes further calls of the model.
func (s Signal) Calls() bool { return slices.Index(Signals(), s) >= slices.Index(Signals(), VoteShare) }

func (s *Signal) UnmarshalText(b []byte) error { return choice.Decode(s, b, "signal", Signals()) }

// Read reads a signal that comes with an answer:
//
//	classification, with the softmax p over the labels reported
//	  max-probability  max_k p_k
//	  margin           p₁ − p₂, the two largest
//	  entropy          Σ p_k ln p_k
//	  label-mass       the probability on all labels together
//	generation, of n tokens before the end token with log-probabilities l_t
//	  max-probability  Σ l_t, the logarithm of the whole answer's probability
//	  token-mean       Σ l_t/n
//	  token-min        min l_t
//	  token-quantile   the quantile of l_t at q
//	  margin           mean over the tokens of the difference of the two most probable alternatives
//	  entropy          mean over the tokens of Σ p_k ln p_k over the alternatives recorded, normalised to a sum of 1
//	  length           −n
//	vendor             the confidence that was recorded with the answer
//
// An answer without tokens has −Inf. why says why the answer does not have the signal; "" = it has.
func (s Signal) Read(a backends.Answer, q float64) (value float64, why string) {
	// max-probability: Hendrycks and Gimpel, "A baseline for detecting misclassified and out-of-distribution examples",
	// ICLR 2017; of sequences, like entropy, Malinin and Gales, "Uncertainty estimation in autoregressive structured
	// prediction", ICLR 2021. margin: Scheffer, Decomain and Wrobel, IDA 2001; of tokens Jiang et al., "How can we know
	// when language models know?", TACL 9 (2021). token-min and token-mean: Manakul, Liusie and Gales, "SelfCheckGPT",
	// EMNLP 2023, section 4.1. token-quantile: Gupta et al., "Language model cascades: token-level uncertainty and
	// beyond", ICLR 2024, section 3.3.
	switch {
	case a.Failure != nil:
		return 0, "they failed"
	case s == Recorded && a.Vendor != nil && a.Vendor.Confidence != nil:
		return *a.Vendor.Confidence, ""
	case s == Recorded && a.Confidence == nil:
		return 0, "no confidence was recorded with them"
	case s == Recorded:
		return *a.Confidence, ""
	case len(a.Labels) > 0:
		return s.ofLabels(a)
	case s == LabelMass:
		return 0, "a generation has no labels"
	case s == Length:
		return lengthOf(a)
	case a.NoLogprobs || len(a.Tokens) == 0 && a.Confidence != nil:
		return 0, "they have no log-probabilities"
	}
	return s.ofTokens(a, q)
}

// ofLabels reads a signal of a classification.
func (s Signal) ofLabels(a backends.Answer) (value float64, why string) {
	if !slices.Contains([]Signal{MaxProbability, Margin, Entropy, LabelMass}, s) {
		return 0, "a classification is one token"
	}
	if s == LabelMass {
		mass, ok := a.Mass()
		if !ok || mass.Low != mass.High {
			return 0, "their probability on the labels is not known"
		}
		return mass.Low, ""
	}
	r, err := readLabels(a.Labels)
	if a.NoLogprobs || err != nil || a.Confidence != nil && r.Missing > 0 {
		return 0, "they have no log-probabilities of the labels"
	}
	switch s {
	case Margin:
		top := slices.Sorted(slices.Values(r.Probs))
		return top[len(top)-1] - top[len(top)-2], ""
	case Entropy:
		return negentropy(r.Probs), ""
	}
	return r.Beta, ""
}

func negentropy(p []float64) (sum float64) {
	for _, x := range p {
		if x > 0 {
			sum += float64(x * calc.Log(x))
		}
	}
	return sum
}

// lengthOf is the number of an answer's tokens, negative.
func lengthOf(a backends.Answer) (value float64, why string) {
	if _, n, err := tokenSum(a); err == nil && n > 0 && !a.Whole {
		return -float64(n), ""
	}
	if n, known := a.Usage.Completion.Known(); known {
		return -float64(n), ""
	}
	return 0, "the number of their tokens is not known"
}

// ofTokens reads a signal of a generation's tokens.
func (s Signal) ofTokens(a backends.Answer, q float64) (value float64, why string) {
	sum, n, err := tokenSum(a)
	switch {
	case err != nil:
		return 0, "they have impossible log-probabilities"
	case n == 0:
		return math.Inf(-1), ""
	case s == MaxProbability:
		return sum, ""
	case a.Whole:
		reported, known := a.Usage.Completion.Known()
		if s == TokenMean && known && reported > 0 {
			return sum / float64(reported), ""
		}
		return 0, "only the log-probability of the whole answer is recorded"
	}
	tokens := a.Tokens[:n]
	switch s {
	case TokenMean:
		return sum / float64(n), ""
	case TokenMin:
		q = 0
	case Margin, Entropy:
		return s.ofAlternatives(tokens)
	}
	logs := make([]float64, n)
	for i, t := range tokens {
		logs[i] = min(t.Logprob, 0)
	}
	at, err := curve.Quantiles(logs, []float64{q})
	if err != nil {
		return 0, err.Error()
	}
	return at[0], ""
}

// ofAlternatives is the mean margin, or the mean negative entropy, of tokens whose alternatives were recorded.
func (s Signal) ofAlternatives(tokens []backends.Token) (value float64, why string) {
	for _, t := range tokens {
		if len(t.Top) < 2 {
			return 0, "the alternatives of their tokens were not recorded"
		}
		p, sum := make([]float64, len(t.Top)), 0.0
		for k, x := range t.Top {
			p[k] = calc.Exp(min(x.Logprob, 0))
			sum += p[k]
		}
		if s == Margin {
			slices.Sort(p)
			value += (p[len(p)-1] - p[len(p)-2]) / float64(len(tokens))
			continue
		}
		if sum == 0 {
			return 0, "they have impossible log-probabilities"
		}
		for k := range p {
			p[k] /= sum
		}
		value += negentropy(p) / float64(len(tokens))
	}
	return value, ""
}

// Unit maps a signal's values to [0,1] without changing their order, as policies and curves want confidences:
//
//	½ + ½·x/(1 + |x|),   −∞ to 0
func Unit(x float64) float64 {
	if math.IsInf(x, -1) {
		return 0
	}
	return 0.5 + float64(0.5*(x/(1+math.Abs(x))))
}
