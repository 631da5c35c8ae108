package grade

import (
	"strings"

	"infnet/metrics"
)

// Contains compares words: an answer is right if the words of a reference are in it, one after the other, in the form
// in which SQuAD compares answers. A reference without words decides nothing.
func Contains(answer string, references []string) Verdict {
	said := " " + metrics.NormaliseSQuAD(answer) + " "
	return among(references, func(reference string) Verdict {
		words := metrics.NormaliseSQuAD(reference)
		if words == "" {
			return Undecided
		}
		return verdict(strings.Contains(said, " "+words+" "))
	})
}
