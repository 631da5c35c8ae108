package backends

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Access says where a model's servers are and how they are called. Nothing of it is part of an answer's key, but
// for the served name where a request has it.
type Access struct {
	// base URLs, before /chat/completions or /systemone; all serve the same weights and share the calls
	//
	// They have no user, password, query and fragment. Of a gateway they end where the provider's routes begin, of a
	// Hugging Face endpoint where the model answers.
	URLs []string `toml:"urls" default:"required for servers that run; hosted: the provider's own" range:"one or more URLs, http or https"`

	// Served is the model's name on the servers; "" = the ModelID's ID. Hugging Face endpoints know it by none.
	Served string

	// APIKey authorizes the calls; "" = that of the environment variable APIKeyEnv; without either, calls have none.
	APIKey Secret
	// holds the API key
	APIKeyEnv string            `toml:"api_key_env" default:"none" range:"the name of an environment variable"`
	Headers   map[string]Secret // sent with every call, over ours of the same name

	Timeout  time.Duration // of one call, to the last byte; 0 = 2 min
	CoolDown time.Duration // how long a URL that failed is left alone if others work; then up to 8 times that; 0 = 10 s
	// calls in flight per model, over all URLs
	Concurrency int   `toml:"concurrency" default:"collect.concurrency where written, else 16" range:"1 to 1024"` // 0 = 16
	MaxBody     int64 // longest reply in bytes; 0 = 64 MiB of the OpenAI protocol, else 4 MiB
}

// Remote is what the rest of the program has to know about a model's servers.
type Remote struct {
	Access
	EmbedBatch int       // texts per call of an embedder
	Top        int       // alternatives a token that are asked for
	Labels     LabelMode // how classifications are asked; "" = there is one way
	Probed     bool      // how classifications are asked is found by asking the servers
	Launch     *Launch   // how the servers are started; nil = they run
	Effort     Effort    // that chats ask for; "" = the server's own
}

// Engine returns the settings of the engine that change answers, the effort that chats ask for included.
func (r Remote) Engine() (list []Setting) {
	if r.Launch != nil {
		list = r.Launch.Settings
	}
	if r.Effort != "" {
		list = append(slices.Clone(list), Setting{Name: "reasoning_effort", Value: string(r.Effort)})
	}
	return list
}

// SettingsOf returns the settings of one kind. The error is for a configuration without them.
func SettingsOf[S comparable](c Config) (S, error) {
	var none S
	s, ok := c.Settings.(S)
	if !ok || s == none {
		return s, fmt.Errorf("model %q: it has no settings for backend kind %q", c.Model.ID, c.Model.Kind)
	}
	return s, nil
}

// Traits are those of the model's kind.
func (c Config) Traits() Traits { return c.Model.Kind.Traits() }

// Folder is where the weights are, in Files or on this machine; "" = in no folder.
func (c Config) Folder() string {
	if s, ok := c.Settings.(*FolderConfig); ok {
		return s.Path
	}
	return ""
}

// Remote describes the model's servers. ok is false where it has none.
func (c Config) Remote() (r Remote, ok bool) {
	s, ok := c.Settings.(interface{ remote() Remote })
	if !ok {
		return Remote{}, false
	}
	return s.remote(), true
}

// WithHeaders returns the configuration with headers that every call sends, where its kind has any.
func (c Config) WithHeaders(headers map[string]Secret) Config {
	return c.changed(func(s *OpenAIConfig) { s.Headers = maps.Clone(headers) })
}

// At returns the configuration for servers that were started at these URLs and ask for a key.
func (c Config) At(urls []string, key Secret) Config {
	return c.changed(func(s *OpenAIConfig) { s.URLs, s.APIKey = urls, key })
}

// Cold returns the configuration for the first call to a server that was started at a URL. It may take minutes, and
// asks for no log-probabilities.
func (c Config) Cold(url string, key Secret) Config {
	const noLimit = 24 * time.Hour // who waits ends the wait
	return c.At([]string{url}, key).changed(func(s *OpenAIConfig) {
		s.Timeout, s.NoLogprobs, s.Labels = noLimit, true, LabelsText
	})
}

// changed is the configuration with a changed copy of its settings, where they are those of the OpenAI protocol.
func (c Config) changed(change func(*OpenAIConfig)) Config {
	if s, ok := c.Settings.(*OpenAIConfig); ok {
		copied := *s
		change(&copied)
		c.Settings = &copied
	}
	return c
}
