package backends

import "strings"

// Finish says why a generation ended. "" = not recorded; the text may be cut.
type Finish string

// The reasons. Any other value is the server's own word for something else.
const (
	FinishEnd    Finish = "end"      // the model ended its answer, or said a stop
	FinishLength Finish = "length"   // cut: the answer reached max_tokens, or the context its end
	FinishUnsaid Finish = "not said" // the server gave no reason
)

// Cut reports whether the answer is known to have been cut: a reason was recorded, and the model
// did not end the answer itself.
func (f Finish) Cut() bool { return f != "" && f != FinishEnd }

// FinishOf translates the finish reasons of OpenAI, TGI, llama.cpp, Anthropic and Gemini, in any
// letter case. limit says whether the answer has as many tokens as were allowed; it decides if
// there is no reason.
func FinishOf(word string, limit bool) Finish {
	switch w := strings.ToLower(strings.TrimSpace(word)); w {
	case "stop", "eos", "eos_token", "stop_sequence", "end_turn", string(FinishEnd):
		return FinishEnd
	case "length", "max_tokens", "model_length", "limit", "max_output_tokens":
		return FinishLength
	case "":
		if limit {
			return FinishLength
		}
		return FinishUnsaid
	default:
		const longest = 40
		w = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '?'
			}
			return r
		}, w)
		return Finish(w[:min(len(w), longest)])
	}
}

// BeforeStop cuts a text at the first stop; servers that honour stops leave nothing to do.
func BeforeStop(text string, stops []string) string {
	cut := len(text)
	for _, s := range stops {
		if i := strings.Index(text, s); s != "" && i >= 0 {
			cut = min(cut, i)
		}
	}
	return text[:cut]
}
