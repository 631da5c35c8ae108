package page

import "infnet/harness/result"

// answer is what came out on one dataset, in words.
type answer struct {
	Dataset, Models string
	Verdict         string
	Result          string
	Remarks         []string
	Sufficiency     string
	Action          string
	Caveats         []string
	CaveatsHead     string
}

func answers(*result.Results) []answer { return nil }
