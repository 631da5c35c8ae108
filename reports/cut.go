package reports

import (
	"fmt"
	"strings"

	"infnet/harness/result"
)

// The endings of result.Cut that have words of their own; others are a server's.
const (
	cutLength = "length"
	cutUnsaid = "not said"
)

// cutWhat is a row's word for generations that ended in one way.
func cutWhat(k result.Cut) string {
	switch k.Finish {
	case "":
		return "whether cut is not recorded"
	case cutLength:
		return fmt.Sprintf("answer cut at max_tokens = %d", k.MaxTokens)
	case cutUnsaid:
		return "answer that ended for a reason not said"
	}
	return "answer that ended by " + short(k.Finish)
}

// cutNote says how many generations were cut off: what the model had not written yet is not in their scores.
func cutNote(list []result.Cut) string {
	var parts []string
	for _, k := range list {
		of := fmt.Sprintf("%d of %s of %s", k.Count, plural(k.Answers, "answer"), short(k.Model))
		switch k.Finish {
		case "":
			parts = append(parts, "whether "+of+" were cut is not recorded")
		case cutLength:
			parts = append(parts, fmt.Sprintf("%s %s cut at max_tokens = %d", of, were(k.Count), k.MaxTokens))
		case cutUnsaid:
			parts = append(parts, of+" ended for a reason that the server does not say")
		default:
			parts = append(parts, fmt.Sprintf("%s ended by %q", of, short(k.Finish)))
		}
	}
	return sentence(strings.Join(parts, "; "))
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
