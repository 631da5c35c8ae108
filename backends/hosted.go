package backends

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"infnet/harness/choice"
)

// Provider is a company whose models are asked through its own API.
type Provider string

// The providers.
const (
	Anthropic Provider = "anthropic" // the Messages API
	GoogleAI  Provider = "googleai"  // the Gemini API
	Mistral   Provider = "mistral"   // chat completions
	Cohere    Provider = "cohere"    // version 2 of the chat API
	Bedrock   Provider = "bedrock"   // InvokeModel of Amazon Bedrock: Anthropic Claude and Amazon Nova
)

// Providers lists the valid providers.
func Providers() []Provider { return []Provider{Anthropic, GoogleAI, Mistral, Cohere, Bedrock} }

// UnmarshalText accepts a provider's name.
func (p *Provider) UnmarshalText(b []byte) error { return choice.Decode(p, b, "provider", Providers()) }

// HostedConfig opens a model of a provider. Such a model gives no
// log-probabilities, so it can only be the last of a cascade. Neither the URL,
// the region nor any limit is part of an answer's key.
type HostedConfig struct {
	Provider Provider // required

	// URL is where the provider's routes begin, for a gateway: "https://gateway.example/anthropic/v1"; "" = the
	// provider's own. http or https, without user, password, query and fragment.
	URL string

	// Region is the AWS region of Bedrock; required there, and for no other provider.
	Region string

	// Served is the model's name at the provider; "" = the ModelID's ID.
	Served string

	// APIKey authorizes the calls; "" = read it from the environment variable APIKeyEnv. Where that is "" too,
	// Bedrock takes AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if set, AWS_SESSION_TOKEN, and every other
	// provider's calls have no key, which suits a gateway that has its own.
	APIKey    Secret
	APIKeyEnv string

	// Extra are fields merged into the body of every request, over ours, and into its objects, field by field; a nil
	// value removes a field. They change answers, so they are part of Revision.
	Extra map[string]any

	Timeout     time.Duration // of one call, to the last byte of its answer; 0 = 2 min
	Concurrency int           // calls in flight, ≥ 1; 0 = 16
	MaxBody     int64         // longest response in bytes; 0 = 4 MiB
}

// Revision returns the revision of a ModelID: the model's own as the spec states it ("" where unknown), the provider,
// and a hash of the fields that are added to requests. So two providers' models of one name never share an answer.
func (c *HostedConfig) Revision(model string) string {
	out := model + "+" + string(c.Provider)
	if len(c.Extra) == 0 {
		return out
	}
	b, err := json.Marshal(c.Extra) // keys come sorted
	if err != nil {
		panic("backends: checked fields of a hosted model have no JSON: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return out + "+" + hex.EncodeToString(sum[:4])
}

var _ RemoteSettings = (*HostedConfig)(nil)

// Traits of hosted models.
func (*HostedConfig) Traits() Traits { return Traits{Answers: true, Remote: true, Tokens: true} }

// Remote describes the provider, at one address.
func (c *HostedConfig) Remote() Remote {
	return Remote{URLs: []string{c.Address()}, KeyEnv: c.APIKeyEnv, Served: c.Served, Concurrency: c.Concurrency}
}

// Address is where the provider's routes begin.
func (c *HostedConfig) Address() string {
	switch {
	case c.URL != "":
		return c.URL
	case c.Provider == Bedrock:
		return "https://bedrock-runtime." + c.Region + ".amazonaws.com"
	}
	return addresses[c.Provider]
}

// addresses are the providers' own, as far as they need no region.
var addresses = map[Provider]string{
	Anthropic: "https://api.anthropic.com/v1",
	GoogleAI:  "https://generativelanguage.googleapis.com",
	Mistral:   "https://api.mistral.ai",
	Cohere:    "https://api.cohere.com",
}

// Asks reports why langchaingo's client of the provider cannot ask a model of a name; nil = it can. Of the six
// families that it knows on Bedrock, it gives four a prompt of its own ("human: …"), which is not their chat template,
// so their answers would say little about the models.
func (p Provider) Asks(served string) error {
	if p != Bedrock || strings.Contains(served, "anthropic.") || strings.Contains(served, "amazon.nova-") {
		return nil
	}
	return fmt.Errorf("%q on Bedrock: langchaingo has the chat form of Anthropic Claude (anthropic.…) and Amazon "+
		"Nova (amazon.nova-…) alone, and writes other models' prompts in a form that is not theirs: name one of these",
		served)
}

// Version is the path by which the provider's routes begin with the version of its API, which a request adds to the
// base address; "" = it is a part of the base address, or there is none.
func (p Provider) Version() string {
	return map[Provider]string{GoogleAI: "/v1beta", Mistral: "/v1", Cohere: "/v2"}[p]
}

// OwnedFields are the fields of a provider's request that the request itself decides, so that Extra cannot hold them.
func (p Provider) OwnedFields() []string {
	own := []string{"model", "messages", "stream", "max_tokens", "n", "tools", "system"}
	switch p {
	case GoogleAI:
		own = []string{"contents", "systemInstruction", "tools", "cachedContent"}
	case Bedrock:
		own = append(own, "anthropic_version")
	}
	return own
}
