package huggingface

import (
	"testing"

	"infnet/backends"
	"infnet/backends/wire"
	_ "infnet/harness/seed/steady"
)

// FuzzMend: whatever a server sends, mending gives either a failure that is
// worth another try or a form whose lists have equal lengths.
func FuzzMend(f *testing.F) {
	for _, s := range []string{`[{"label":"a","score":0.5}]`, `[[{"label":"a","score":1}]]`,
		`{"sequence":"x","labels":["a"],"scores":[1]}`,
		`[{"sequence":"x","labels":["a"],"scores":[1]}]`, `{"answer":"a","score":1}`, `[{"answer":"a","score":1}]`,
		`{"error":"x"}`, `null`, `[null]`, `[[]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, task := range []backends.HuggingFaceTask{backends.ZeroShot, backends.ExtractiveQA} {
			m := &Model{cfg: backends.HuggingFaceConfig{HuggingFaceOptions: backends.HuggingFaceOptions{Task: task}}}
			got, fail := m.readable(&wire.Reply{Body: b})
			if fail != nil {
				if !fail.Temporary() {
					t.Errorf("%s of %q: %v", task, b, fail)
				}
				continue
			}
			again, fail := m.readable(&wire.Reply{Body: got})
			if fail != nil || string(again) != string(got) {
				t.Errorf("%s of %q: mended twice %q, %q, %v", task, b, got, again, fail)
			}
		}
	})
}
