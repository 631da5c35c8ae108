package openai

import (
	"fmt"
	"math"
	"net/http"
	"testing"

	"infnet/backends"
)

// Every way to classify, in both modes: what it says of the mass on the labels
// holds what the fake model's own distribution has there, and is that where all
// forms of the labels were returned. Ways that hold the model to its labels say
// nothing, unless one without a hold was tried before.
func TestMassOfEveryWay(t *testing.T) {
	narrow := flavours["vllm"]
	narrow.TokenIDs, narrow.ChatTop, narrow.RawTop = false, 5, 5
	exact, bounds, unknown := "exact", "bounds", "unknown"
	for _, test := range []struct {
		name   string
		server flavour
		labels backends.LabelMode
		mode   backends.Mode
		want   string
	}{
		{"vllm", flavours["vllm"], backends.LabelsTokenIDs, backends.Raw, exact},
		{"vllm", flavours["vllm"], backends.LabelsTokenIDs, backends.Chat, exact},
		{"vllm", flavours["vllm"], backends.LabelsTopLogprobs, backends.Raw, bounds},
		{"vllm", flavours["vllm"], backends.LabelsTopLogprobs, backends.Chat, bounds},
		{"vllm", flavours["vllm"], backends.LabelsEcho, backends.Raw, exact},
		{"five alternatives", narrow, backends.LabelsAuto, backends.Raw, bounds},
		{"five alternatives", narrow, backends.LabelsAuto, backends.Chat, bounds},
		{"no probabilities", flavours["hosted"], backends.LabelsText, backends.Chat, unknown},
	} {
		t.Run(fmt.Sprint(test.name, " ", test.labels, " ", test.mode), func(t *testing.T) {
			_, url := serve(t, test.server)
			m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels = test.labels })
			known := map[backends.LabelMode]int{}
			for i := range 30 {
				r := backends.Request{Model: testID, Mode: test.mode, Prompt: fmt.Sprintf("m%d:", i), Labels: three}
				a := ask(t, m, r)
				if backends.Check(r, a) != nil {
					continue // no label is among those returned, or in what was said
				}
				mass, ok := a.Mass()
				if !ok {
					continue
				}
				known[a.By]++
				want := 0.0
				for _, lp := range labelTruth(r, a.By) {
					want += math.Exp(lp)
				}
				if mass.Low > want+1e-6 || mass.High < want-1e-6 {
					t.Errorf("%s, by %s: from %v to %v, the model has %v", r.Prompt, a.By, mass.Low, mass.High, want)
				}
				if test.want == exact && mass.High-mass.Low > 1e-9 {
					t.Errorf("%s: from %v to %v: want one number", r.Prompt, mass.Low, mass.High)
				}
			}
			if (len(known) > 0) != (test.want != unknown) {
				t.Errorf("known of %v: want %s", known, test.want)
			}
		})
	}
}

// A server whose most probable token is no label while one label is seen: that label is not what the model says.
func TestTopTokenIsNoLabel(t *testing.T) {
	for _, lists := range []bool{false, true} {
		mode := map[bool]backends.Mode{false: backends.Chat, true: backends.Raw}[lists]
		body := inShape(lists, entry{" maybe", "-0.02"}, entry{" maybe", "-0.02"}, entry{" yes", "-4.6"}, entry{" x", "-9"})
		m := open(t, static(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }),
			func(c *backends.OpenAIConfig) { c.Labels, c.TopLogprobs = backends.LabelsTopLogprobs, 3 })
		a := ask(t, m, backends.Request{Model: testID, Mode: mode, Prompt: "p:", Labels: []string{" yes", " no"}})
		if a.Failure == nil || a.Failure.Cause != backends.NoLabel || len(a.Labels) > 0 {
			t.Errorf("%s: %+v: want a refusal", mode, a)
		}
	}
}
