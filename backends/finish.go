package backends

import "strings"

// Finish says why a generation ended. "" = nobody recorded it, as in answers
// stored before there was this field: it may have been cut or not.
type Finish string

// The endings. Any other value is a server's own word for an ending that is
// none of these.
const (
	FinishEnd    Finish = "end"      // the model ended its answer, or said a stop
	FinishLength Finish = "length"   // cut: the answer reached max_tokens, or the context its end
	FinishUnsaid Finish = "not said" // the server gave no reason
)

// Cut reports whether the answer may go on behind its end: it is known how it
// ended, and that was not the model's own end.
func (f Finish) Cut() bool { return f != "" && f != FinishEnd }

// FinishOf translates what servers and logs call an ending: OpenAI's words,
// those of TGI, llama.cpp, Anthropic and Gemini, in any letter case. limit is
// whether the answer has as many tokens as were allowed, which decides where
// there is no word.
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
