package backends

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"infnet/harness/choice"
)

// Provider is a company whose models are asked through its own API.
type Provider string

// Anthropic is asked by the Messages API.
const Anthropic Provider = "anthropic"

// Providers lists the valid providers.
func Providers() []Provider { return []Provider{Anthropic} }

// UnmarshalText accepts a provider's name.
func (p *Provider) UnmarshalText(b []byte) error { return choice.Decode(p, b, "provider", Providers()) }

// HostedConfig opens a model of a provider. Such a model gives no
// log-probabilities, so it can only be the last of a cascade. Neither the URL
// nor any limit is part of an answer's key.
type HostedConfig struct {
	Provider Provider // required

	// URL is where the provider's routes begin, for a gateway: "https://gateway.example/anthropic/v1"; "" = the
	// provider's own. http or https, without user, password, query and fragment.
	URL string

	// Served is the model's name at the provider; "" = the ModelID's ID.
	Served string

	// APIKey authorizes the calls; "" = read it from the environment variable APIKeyEnv. Where that is "" too,
	// calls have no key, which suits a gateway that has its own.
	APIKey    Secret
	APIKeyEnv string

	// Extra are fields merged into the body of every request, over ours; a nil value removes a field. They change
	// answers, so they are part of Revision.
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
	if c.URL != "" {
		return c.URL
	}
	return "https://api.anthropic.com/v1"
}

// OwnedFields are the fields of a provider's request that the request itself decides, so that Extra cannot hold them.
func (Provider) OwnedFields() []string {
	return []string{"model", "messages", "stream", "max_tokens", "n", "tools", "system"}
}
