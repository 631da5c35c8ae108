package backends

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"infnet/harness/choice"
)

// Provider is a company whose models are asked through its own API.
type Provider string

// Anthropic is asked by the Messages API.
const Anthropic Provider = "anthropic"

// Providers lists the valid providers.
func Providers() []Provider { return []Provider{Anthropic} }

func (p *Provider) UnmarshalText(b []byte) error { return choice.Decode(p, b, "provider", Providers()) }

// HostedConfig opens a model of a provider, at one URL. Such a model gives no log-probabilities, so it can only be the
// last of a cascade.
type HostedConfig struct {
	Provider Provider // required
	Access

	// Extra are fields merged into the body of every request, over ours; a nil value removes a field. They change
	// answers, so they are part of Revision.
	Extra map[string]any
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

func (c *HostedConfig) remote() Remote {
	r := Remote{Access: c.Access}
	r.URLs = []string{c.Address()}
	return r
}

// Address is where the provider's routes begin.
func (c *HostedConfig) Address() string {
	if len(c.URLs) > 0 {
		return c.URLs[0]
	}
	return "https://api.anthropic.com/v1"
}

// OwnedFields are the fields of a provider's request that the request itself decides, so that Extra cannot hold them.
func (Provider) OwnedFields() []string {
	return []string{"model", "messages", "stream", "max_tokens", "n", "tools", "system"}
}
