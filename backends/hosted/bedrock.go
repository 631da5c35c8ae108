package hosted

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/bedrock"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// The form is that of InvokeModel in the Amazon Bedrock API reference and of "Anthropic Claude Messages API" and
// "Complete request schema" (Amazon Nova) in its user guide (docs.aws.amazon.com, read in November 2026):
// POST /model/ID/invoke.

// bedrockProvider asks InvokeModel, for the families that Provider.Asks names.
func bedrockProvider(served string) (*provider, error) {
	p := &provider{
		open:       openBedrock,
		route:      asWritten,
		authorizer: signBedrock,
		refuse:     refuseBedrock,
	}
	if err := backends.Bedrock.Asks(served); err != nil {
		return nil, err
	}
	if strings.Contains(served, "amazon.nova-") {
		p.complete, p.reply, p.hear = completeNova, readNova, hearNova
	} else {
		p.complete = completeClaude
		p.reply = func(body []byte) (*said, []byte, *backends.Failure) {
			return claude(body, func(string) string { return "end_turn" }) // the client refuses answers that were cut
		}
		p.hear = func(res *llms.ContentResponse) (said, *backends.Failure) {
			c, f := only(res)
			if f != nil {
				return said{}, f
			}
			return said{text: c.Content}, nil // its counts leave out cached tokens
		}
	}
	return p, nil
}

func openBedrock(c backends.HostedConfig, t *transport) (*client, error) {
	runtime := bedrockruntime.New(bedrockruntime.Options{
		Region: c.Region, BaseEndpoint: aws.String(placeholder), HTTPClient: t, RetryMaxAttempts: 1,
		Retryer: aws.NopRetryer{}, Credentials: aws.AnonymousCredentials{}, // the transport signs what it sends
	})
	m, err := bedrock.New(bedrock.WithClient(runtime), bedrock.WithModel(c.Served))
	if err != nil {
		return nil, err
	}
	return through(m), nil
}

// signBedrock puts in a Bedrock API key, or signs the request with AWS's signature (version 4).
func signBedrock(k keys, region string) authorizer {
	if k.key != "" {
		return inHeader("Authorization", "Bearer ")(k, region)
	}
	signer := v4.NewSigner()
	return func(req *http.Request, body []byte, now time.Time) error {
		hash := sha256.Sum256(body)
		return signer.SignHTTP(context.Background(),
			aws.Credentials{AccessKeyID: k.access, SecretAccessKey: k.secret, SessionToken: k.sessionID}, req,
			hex.EncodeToString(hash[:]), "bedrock", region, now)
	}
}

// refuseBedrock reads a status of its own: 424 is a ModelErrorException, a fault of the model's server ("Errors" of
// InvokeModel).
func refuseBedrock(f *backends.Failure, _ []byte) {
	if f.Status == http.StatusFailedDependency {
		f.Cause = backends.ServerError
	}
}

// completeClaude adds the temperature, which the client drops where it is 0.
func completeClaude(_ map[string]json.RawMessage, put putter, _ question) error {
	return put("temperature", 0)
}

// completeNova does the same for Nova, and takes out the system prompt that the client sends without a text.
func completeNova(fields map[string]json.RawMessage, put putter, q question) error {
	settings := map[string]json.RawMessage{}
	if b := fields["inferenceConfig"]; len(b) > 0 {
		if err := json.Unmarshal(b, &settings); err != nil {
			return err
		}
	}
	settings["temperature"] = json.RawMessage("0")
	if err := put("inferenceConfig", settings); err != nil || q.system != "" {
		return err
	}
	return put("system", nil)
}

type novaReply struct {
	Message json.RawMessage `json:"message"` // of an error
	Output  struct {
		Message struct {
			Role    string `json:"role"`
			Content []struct {
				Text     *string         `json:"text"`
				Tool     json.RawMessage `json:"toolUse"`
				Thoughts json.RawMessage `json:"reasoningContent"` // of Nova 2
			} `json:"content"`
		} `json:"message"`
	} `json:"output"`
	Stop  string `json:"stopReason"`
	Usage struct {
		Input  *int `json:"inputTokens"`
		Output *int `json:"outputTokens"`
		Cached *int `json:"cacheReadInputTokenCount"`
		Stored *int `json:"cacheWriteInputTokenCount"`
		Total  *int `json:"totalTokens"`
	} `json:"usage"`
}

// prompt is the prompt's count with the cached tokens, which Nova leaves out of its own: the total has them.
func (r *novaReply) prompt() *int {
	u := r.Usage
	if all := sum(u.Input, u.Cached, u.Stored); all != nil && u.Output != nil && u.Total != nil &&
		*u.Total == *all+*u.Output {
		return all
	}
	return u.Input
}

func readNova(body []byte) (*said, []byte, *backends.Failure) {
	var r novaReply
	if f := unmarshal(body, &r); f != nil {
		return nil, nil, f
	}
	if r.Output.Message.Role == "" && holds(r.Message) {
		return nil, nil, erred(body)
	}
	if r.Output.Message.Role != "assistant" {
		return nil, nil, httpfailure.BadResponse("the response has no message of the assistant")
	}
	var p parts
	for _, c := range r.Output.Message.Content {
		switch {
		case c.Text != nil:
			p.text += *c.Text
		case holds(c.Tool):
			p.tool = true
		case holds(c.Thoughts):
			p.thoughts = true
		default:
			return nil, nil, httpfailure.BadResponse("the response has a part that is no text")
		}
	}
	if r.Stop == "content_filtered" || r.Stop == "guardrail_intervened" {
		p.refused = "stop reason " + r.Stop
	}
	out := &said{finish: r.Stop}
	cached := 0
	if r.Usage.Cached != nil {
		cached = *r.Usage.Cached
	}
	var f *backends.Failure
	if out.usage, f = counted(r.prompt(), r.Usage.Output, cached, p.text == "" && !p.tool && !p.thoughts); f != nil {
		return nil, nil, f
	}
	if out.text, f = p.answer(out.finish); f != nil {
		return out, nil, f
	}
	readable, err := rewritten(body, "output", map[string]any{"message": map[string]any{"role": "assistant",
		"content": []any{map[string]string{"text": out.text}}}})
	if err != nil {
		return out, nil, httpfailure.BadResponse("%v", err)
	}
	return out, readable, nil
}

func hearNova(res *llms.ContentResponse) (said, *backends.Failure) {
	c, f := only(res)
	if f != nil {
		return said{}, f
	}
	out := said{text: c.Content, finish: c.StopReason}
	out.usage, f = counted(nil, count(c.GenerationInfo, "output_tokens"), 0, out.text == "") // cached tokens are lost
	return out, f
}
