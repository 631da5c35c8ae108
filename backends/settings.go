package backends

import "fmt"

// Settings are what one kind of backend needs to open a model.
type Settings interface {
	Traits() Traits
}

// Traits are what the rest of the program has to know about a kind of backend.
type Traits struct {
	Answers bool // its models answer requests, and can be part of a cascade
	Embeds  bool // its models embed texts
	Scores  bool // its models score pairs of texts
	Folder  bool // its weights are in a folder; the settings are then FolderSettings
	Remote  bool // it is reached over a network; the settings are then RemoteSettings
	Local   bool // it computes in this process, so asking it costs time alone
	Tokens  bool // it counts tokens, from which prices and FLOPs follow
}

// FolderSettings are those of a kind whose weights are in a folder.
type FolderSettings interface {
	Settings
	Folder() string           // in Config.Files, or on this machine
	WithThreads(int) Settings // a copy that uses so many CPU threads
}

// RemoteSettings are those of a kind that is reached over a network.
type RemoteSettings interface {
	Settings
	Remote() Remote
}

// HeaderSettings are those of a kind whose calls can send further headers.
type HeaderSettings interface {
	RemoteSettings
	WithHeaders(map[string]Secret) Settings // a copy that sends these headers
}

// LaunchSettings are those of a kind whose servers can be started.
type LaunchSettings interface {
	RemoteSettings
	At(urls []string, key Secret) Settings // a copy for servers that were started at these URLs
	// a copy for the first call, which may take minutes: it asks for no log-probabilities
	Cold() Settings
}

var (
	_ LaunchSettings = (*OpenAIConfig)(nil)

	_ FolderSettings = (*LocalConfig)(nil)
	_ FolderSettings = (*EncoderConfig)(nil)
	_ FolderSettings = (*ScorerConfig)(nil)
	_ Settings       = (*SimulatedConfig)(nil)
)

// Remote is what the rest of the program has to know about a model's servers.
type Remote struct {
	URLs        []string
	KeyEnv      string    // the environment variable with the key that every call sends; "" = none
	Served      string    // the model's name on its servers; "" = they know it by no name
	Concurrency int       // calls in flight
	EmbedBatch  int       // texts per call of an embedder
	Top         int       // alternatives a token that are asked for
	Labels      LabelMode // how classifications are asked; "" = there is one way
	Probed      bool      // how classifications are asked is found by asking the servers
	Launch      *Launch   // how the servers are started; nil = they run
}

// Engine returns the settings of the engine that change answers.
func (r Remote) Engine() []Setting {
	if r.Launch == nil {
		return nil
	}
	return r.Launch.Settings
}

// Traits are those of the model's kind; none where it has no settings.
func (c Config) Traits() Traits {
	if c.Settings != nil {
		return c.Settings.Traits()
	}
	return Traits{}
}

// SettingsOf returns the settings of one kind. The error is for a configuration
// without them.
func SettingsOf[S interface {
	comparable
	Settings
}](c Config) (S, error) {
	var none S
	s, ok := c.Settings.(S)
	if !ok || s == none {
		return s, fmt.Errorf("model %q: it has no settings for backend kind %q", c.Model.ID, c.Model.Kind)
	}
	return s, nil
}

// Folder is where the weights are; "" = in no folder.
func (c Config) Folder() string {
	if s, ok := c.Settings.(FolderSettings); ok {
		return s.Folder()
	}
	return ""
}

// WithThreads returns the configuration with a number of CPU threads, where the
// weights are in a folder.
func (c Config) WithThreads(threads int) Config {
	if s, ok := c.Settings.(FolderSettings); ok {
		c.Settings = s.WithThreads(threads)
	}
	return c
}

// Remote describes the model's servers. ok is false where it has none.
func (c Config) Remote() (r Remote, ok bool) {
	s, ok := c.Settings.(RemoteSettings)
	if !ok {
		return Remote{}, false
	}
	return s.Remote(), true
}

// WithHeaders returns the configuration with headers that every call sends,
// where its kind has any.
func (c Config) WithHeaders(headers map[string]Secret) Config {
	if s, ok := c.Settings.(HeaderSettings); ok {
		c.Settings = s.WithHeaders(headers)
	}
	return c
}

// At returns the configuration for servers that were started at these URLs, where its kind has any.
func (c Config) At(urls []string, key Secret) Config {
	if s, ok := c.Settings.(LaunchSettings); ok {
		c.Settings = s.At(urls, key)
	}
	return c
}

// Cold returns the configuration for the first call to a server that was started at a URL.
func (c Config) Cold(url string, key Secret) Config {
	if s, ok := c.Settings.(LaunchSettings); ok {
		c.Settings = s.Cold()
	}
	return c.At([]string{url}, key)
}

// Traits of models in this process.
func (*LocalConfig) Traits() Traits {
	return Traits{Answers: true, Folder: true, Local: true, Tokens: true}
}

// Folder is where the weights are.
func (c *LocalConfig) Folder() string { return c.Path }

// WithThreads copies the settings for so many CPU threads.
func (c *LocalConfig) WithThreads(threads int) Settings {
	copied := *c
	copied.Threads = threads
	return &copied
}

// Traits of sentence encoders in this process.
func (*EncoderConfig) Traits() Traits { return Traits{Embeds: true, Folder: true, Local: true} }

// Folder is where the weights are.
func (c *EncoderConfig) Folder() string { return c.Path }

// WithThreads copies the settings for so many CPU threads.
func (c *EncoderConfig) WithThreads(threads int) Settings {
	copied := *c
	copied.Threads = threads
	return &copied
}

// Traits of scorers in this process.
func (*ScorerConfig) Traits() Traits { return Traits{Scores: true, Folder: true, Local: true} }

// Folder is where the weights are.
func (c *ScorerConfig) Folder() string { return c.Path }

// WithThreads copies the settings for so many CPU threads.
func (c *ScorerConfig) WithThreads(threads int) Settings {
	copied := *c
	copied.Threads = threads
	return &copied
}

// Traits of simulated models.
func (*SimulatedConfig) Traits() Traits { return Traits{Answers: true, Local: true, Tokens: true} }
