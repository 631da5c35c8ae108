package open_test

import (
	"path/filepath"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/lexical"
	"infnet/backends/open"
)

func model(k backends.Kind) backends.ModelID {
	return backends.ModelID{ID: "m", Revision: "1", Kind: k}
}

func TestModel(t *testing.T) {
	distribution := &backends.SimulatedConfig{Alpha: 1, Beta: 1}
	for _, test := range []struct {
		name string
		cfg  backends.Config
		want string // in the error; "" = opens
	}{
		{"simulated", backends.Config{Model: model(backends.Simulated), Settings: distribution}, ""},
		{"simulated without settings", backends.Config{Model: model(backends.Simulated)},
			`no settings for backend kind "simulated"`},
		{"a bad distribution", backends.Config{Model: model(backends.Simulated), Settings: &backends.SimulatedConfig{}},
			"alpha = 0"},
		{"local without settings", backends.Config{Model: model(backends.Local), Settings: distribution},
			`no settings for backend kind "local"`},
		{"local without a folder", backends.Config{Model: model(backends.Local),
			Settings: &backends.FolderConfig{Path: filepath.Join(t.TempDir(), "none")}}, "config.json"},
		{"openai", backends.Config{Model: model(backends.OpenAI),
			Settings: &backends.OpenAIConfig{Access: backends.Access{URLs: []string{"http://localhost:8000/v1"}}}}, ""},
		{"openai without settings", backends.Config{Model: model(backends.OpenAI)}, `no settings for backend kind "openai"`},
		{"openai without a URL", backends.Config{Model: model(backends.OpenAI), Settings: &backends.OpenAIConfig{}},
			"it has no URL"},
		{"huggingface", backends.Config{Model: model(backends.HuggingFace),
			Settings: &backends.HuggingFaceConfig{Access: backends.Access{URLs: []string{"http://localhost"}},
				HuggingFaceOptions: backends.HuggingFaceOptions{Task: backends.ZeroShot}}}, ""},
		{"huggingface without settings", backends.Config{Model: model(backends.HuggingFace)},
			`no settings for backend kind "huggingface"`},
		{"replay", backends.Config{Model: model(backends.Replay),
			Settings: &backends.ReplayConfig{Answers: backendtest.Recorded{{}: {}}}}, ""},
		{"replay without settings", backends.Config{Model: model(backends.Replay)}, `no settings for backend kind "replay"`},
		{"replay without answers", backends.Config{Model: model(backends.Replay), Settings: &backends.ReplayConfig{}},
			"no recorded answer"},
		{"an embedder", backends.Config{Model: model(backends.Lexical)}, "answers no requests"},
		{"unknown", backends.Config{Model: model("telepathy")}, `unknown backend kind "telepathy"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := open.Model(test.cfg)
			check(t, m == nil, err, test.want)
		})
	}
}

func TestEmbedder(t *testing.T) {
	for _, test := range []struct {
		name string
		id   backends.ModelID
		want string
	}{
		{"lexical", lexical.ID(), ""},
		{"another revision", backends.ModelID{ID: lexical.Name, Revision: "0", Kind: backends.Lexical}, `revision "0"`},
		{"a model", model(backends.Simulated), "embeds no texts"},
		{"unknown", model("telepathy"), `unknown backend kind "telepathy"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := open.Embedder(backends.Config{Model: test.id})
			check(t, e == nil, err, test.want)
		})
	}
}

// check wants either a value or an error with some text, never both.
func check(t *testing.T, none bool, err error, want string) {
	t.Helper()
	if none != (err != nil) || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("no value: %v, error %v, want %q in it", none, err, want)
	}
}
