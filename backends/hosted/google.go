package hosted

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/googleai"
	"google.golang.org/api/option"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// The form is that of "GenerateContentResponse" and "FinishReason" in the Gemini API reference
// (ai.google.dev/api/generate-content, read in November 2026): POST /v1beta/models/MODEL:generateContent.

// googlePlaceholder is the address that Google's client is given: one where nobody can be reached, since the client
// also opens a gRPC connection, for cached contents, which is never used.
const (
	googlePlaceholder = "unix:///model.invalid"
	googlePrefix      = "/model.invalid"
)

// googleStream ends the route by which the client asks for a chat of several turns. The answer is
// asked for in one piece all the same, and handed on as a stream of that piece.
const googleStream = ":streamGenerateContent"

func frameGoogle(u *url.URL, body []byte) []byte {
	if strings.HasSuffix(u.Path, googleStream) {
		return slices.Concat([]byte("["), body, []byte("]"))
	}
	return body
}

// googleProvider asks the Gemini API over REST. Safety settings are BLOCK_NONE, so that a provider's change of its
// default changes no answer.
func googleProvider() *provider {
	return &provider{
		open: func(c backends.HostedConfig, t *transport) (*client, error) {
			m, err := googleai.New(context.Background(), googleai.WithAPIKey("none"), googleai.WithDefaultModel(c.Served),
				googleai.WithHarmThreshold(googleai.HarmBlockNone), googleai.WithHTTPClient(&http.Client{Transport: t}),
				func(o *googleai.Options) {
					o.ClientOptions = append(o.ClientOptions, option.WithEndpoint(googlePlaceholder))
				})
			if err != nil {
				return nil, err
			}
			out := through(m, llms.WithTopP(1), llms.WithTopK(1))
			out.done = func() { _ = m.Close() }
			return out, nil
		},
		route: func(u *url.URL) string {
			return strings.Replace(strings.TrimPrefix(u.EscapedPath(), googlePrefix), googleStream, ":generateContent", 1)
		},
		framed:     frameGoogle,
		authorizer: inHeader("X-Goog-Api-Key", ""),
		complete:   completeGoogle,
		reply:      readGoogle,
		hear:       hearGoogle,
		refuse:     refuseGoogle,
		named:      true,
	}
}

// completeGoogle adds the seed, which the client drops, and takes out the names' numbers: the route asks for names.
func completeGoogle(fields map[string]json.RawMessage, put putter, q question) error {
	settings := map[string]json.RawMessage{}
	if b := fields["generationConfig"]; len(b) > 0 {
		if err := json.Unmarshal(b, &settings); err != nil {
			return err
		}
	}
	seed, err := json.Marshal(q.seed)
	if err != nil {
		return err
	}
	settings["seed"] = seed
	return put("generationConfig", settings)
}

type googleReply struct {
	Error      json.RawMessage `json:"error"`
	Model      string          `json:"modelVersion"`
	Candidates []struct {
		Index   int `json:"index"`
		Content struct {
			Parts []googlePart `json:"parts"`
		} `json:"content"`
		Finish string `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		Block string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage struct {
		Prompt     *int `json:"promptTokenCount"` // with the cached ones
		Candidates *int `json:"candidatesTokenCount"`
		Thoughts   *int `json:"thoughtsTokenCount"`
		Tools      int  `json:"toolUsePromptTokenCount"` // in the total alone
		Total      int  `json:"totalTokenCount"`
		Cached     int  `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
}

type googlePart struct {
	Text    *string         `json:"text"`
	Thought bool            `json:"thought"`
	Call    json.RawMessage `json:"functionCall"`

	Signature json.RawMessage `json:"thoughtSignature"` // of a thought; alone or with a text
}

// googleRefusals are the reasons for which an answer was withheld or cut by a filter.
var googleRefusals = map[string]bool{"SAFETY": true, "RECITATION": true, "LANGUAGE": true, "BLOCKLIST": true,
	"PROHIBITED_CONTENT": true, "SPII": true, "IMAGE_SAFETY": true}

// readGoogle reads a reply. langchaingo takes thoughts for text and drops reasons and parts that it does not know.
func readGoogle(body []byte) (*said, []byte, *backends.Failure) {
	var r googleReply
	if f := unmarshal(body, &r); f != nil {
		return nil, nil, f
	}
	if holds(r.Error) {
		return nil, nil, erred(body)
	}
	var p parts
	out := &said{model: r.Model}
	switch {
	case r.Feedback.Block != "" && r.Feedback.Block != "BLOCK_REASON_UNSPECIFIED":
		p.refused = "the prompt was blocked: " + r.Feedback.Block
	case len(r.Candidates) != 1 || r.Candidates[0].Index != 0:
		return nil, nil, httpfailure.BadResponse("the response has %d candidates, want 1, of index 0", len(r.Candidates))
	default:
		c := r.Candidates[0]
		for _, part := range c.Content.Parts {
			switch {
			case holds(part.Call):
				p.tool = true
			case part.Thought:
				p.thoughts = true
			case part.Text != nil:
				p.text += *part.Text
			case holds(part.Signature):
			default:
				return nil, nil, httpfailure.BadResponse("the response has a part that is no text")
			}
		}
		if out.finish = strings.ToLower(c.Finish); googleRefusals[c.Finish] {
			p.refused = "finish reason " + c.Finish
		}
	}
	var f *backends.Failure
	completion := sum(r.Usage.Candidates, r.Usage.Thoughts)
	if completion == nil { // all tokens went into thoughts
		completion = r.Usage.Thoughts
	}
	// thoughts are paid for like answers, and some replies have them in the total alone
	if in := r.Usage.Prompt; in != nil && completion != nil {
		completion = new(max(*completion, r.Usage.Total-*in-r.Usage.Tools))
	}
	if out.usage, f = counted(r.Usage.Prompt, completion, r.Usage.Cached,
		p.text == "" && !p.tool && !p.thoughts); f != nil {
		return nil, nil, f
	}
	if out.text, f = p.answer(out.finish); f != nil {
		return out, nil, f
	}
	reason := r.Candidates[0].Finish
	readable, err := rewritten(body, "candidates", []any{map[string]any{"index": 0, "finishReason": reason,
		"content": map[string]any{"role": "model", "parts": []any{map[string]string{"text": out.text}}}}})
	if err != nil {
		return out, nil, httpfailure.BadResponse("%v", err)
	}
	return out, readable, nil
}

// googleHeard are langchaingo's words for the reasons that it knows; it has none for the others.
var googleHeard = map[string]string{"FinishReasonStop": "stop", "FinishReasonMaxTokens": "max_tokens",
	"FinishReasonOther": "other"}

func hearGoogle(res *llms.ContentResponse) (said, *backends.Failure) {
	c, f := only(res)
	if f != nil {
		return said{}, f
	}
	info := c.GenerationInfo
	out := said{text: c.Content, finish: googleHeard[c.StopReason]}
	cached := 0
	if n := count(info, "CachedTokens"); n != nil {
		cached = *n
	}
	completion := count(info, "CompletionTokens")
	if in, all := count(info, "PromptTokens"), count(info, "TotalTokens"); completion != nil && in != nil && all != nil &&
		*all > *in+*completion {
		completion = nil // what else is in the total, the reply says: thoughts, or what tools read
	}
	out.usage, f = counted(count(info, "PromptTokens"), completion, cached, out.text == "")
	return out, f
}

// refuseGoogle reads what Google says in details alone: how long to wait, and that a key is not valid, which has the
// status of a bad request.
func refuseGoogle(f *backends.Failure, body []byte) {
	var r struct {
		Error struct {
			Details []struct {
				Reason string `json:"reason"`
				Delay  string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &r) != nil {
		return
	}
	for _, d := range r.Error.Details {
		if d.Reason == "API_KEY_INVALID" {
			f.Cause = backends.Unauthorized
		}
		if wait, err := time.ParseDuration(d.Delay); err == nil && wait > f.RetryAfter && wait <= time.Hour {
			f.RetryAfter = wait
		}
	}
}
