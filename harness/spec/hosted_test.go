package spec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

const hosted = `study = "hosted"

[[models]]
name = "student"
backend = "local"
path = "../files/student"

[[models]]
name = "master"
id = "claude-sonnet-4-5"
revision = "2026-11"
backend = "provider"
price_in = 3
price_out = 15
system = "Answer in one word."

[[datasets]]
name = "reviews"
source = "builtin:reviews"

[[cascades]]
models = ["student", "master"]

[cost]
model = "tokens"

[backends.provider]
kind = "hosted"
`

// Every key of a provider's table arrives; what changes answers is in the model's revision, what does not is not.
func TestHosted(t *testing.T) {
	plain := hosted + "provider = \"anthropic\"\napi_key_env = \"ANTHROPIC_API_KEY\"\n"
	s := loadServed(t, plain)
	m := s.Models[1]
	want := &backends.HostedConfig{Provider: backends.Anthropic, Access: backends.Access{
		APIKeyEnv: "ANTHROPIC_API_KEY", Served: "claude-sonnet-4-5", Timeout: 5 * time.Minute, Concurrency: 16}}
	if diff := cmp.Diff(want, m.Config.Settings.(*backends.HostedConfig)); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	id := backends.ModelID{ID: "claude-sonnet-4-5", Revision: "2026-11+anthropic", Kind: backends.Hosted}
	if m.Config.Model != id || m.Mode != backends.Chat || m.System != "Answer in one word." || len(s.Warnings) != 0 {
		t.Errorf("model %+v, mode %s, system %q, warnings %v", m.Config.Model, m.Mode, m.System, s.Warnings)
	}
	if r, ok := m.Config.Remote(); !ok || r.URLs[0] != "https://api.anthropic.com/v1" || r.Served != "claude-sonnet-4-5" {
		t.Errorf("remote %+v", r)
	}
	for _, tt := range []struct {
		name, text string
		same       bool
	}{
		{"a gateway and limits", plain + "urls = [\"https://gateway.example/v1\"]\ntimeout = \"9s\"\n" +
			"concurrency = 2\n", true},
		{"another name there", strings.Replace(plain, "revision =", "served = \"x\"\nrevision =", 1), true}, // in the request
		{"a further field", plain + "extra = { top_k = 1 }\n", false},
		{"a field less", plain + "drop = [\"temperature\"]\n", false},
	} {
		if got := loadServed(t, tt.text).Models[1].Config.Model; (got == id) != tt.same {
			t.Errorf("%s: model %+v", tt.name, got)
		}
	}
}
