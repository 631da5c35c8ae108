package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"infnet/backends"
	"infnet/backends/wire"
)

// Batch is a Model whose calls end before the network: every body that it writes is the one that a live
// call would send, and every reply passes the checks that a live one passes.
//
// A batch has no server that could be asked anything: no tokenizer, no list of models, no probe. So it
// takes label modes of one call alone, and labels are matched as text.
type Batch struct{ m *Model }

// offered is where the calls of a batch would go.
const offered = "http://batch.invalid/v1"

// OpenBatch prepares a model for batch files. labels is how classifications are asked, which the
// server cannot be asked. No API key is needed: whoever uploads the file has it. One that is set is kept out of what is
// read, as it is live.
func OpenBatch(cfg backends.Config, labels backends.LabelMode) (*Batch, error) {
	settings, err := backends.SettingsOf[*backends.OpenAIConfig](cfg)
	if err != nil {
		return nil, err
	}
	c := *settings
	c.URLs, c.APIKeyEnv, c.Labels = []string{offered}, "", labels
	if c.APIKey == "" && settings.APIKeyEnv != "" {
		c.APIKey = backends.Secret(os.Getenv(settings.APIKeyEnv))
	}
	if strings.ContainsAny(c.APIKey.Reveal(), "\r\n\x00") {
		c.APIKey = "" // no server would have taken it
	}
	if !labels.Batched() {
		return nil, fmt.Errorf("model %q: label mode %q is no single call that a batch could hold", cfg.Model.ID, labels)
	}
	cfg.Settings = &c
	m, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	m.wire.Through(batchWire{served: m.cfg.Served})
	m.wire.Unpaced = true                                     // what a batch was refused is no reason to wait
	offer := Offer{Answers: true, Offered: !m.cfg.NoLogprobs} // how long its lists usually are is not known: each counts
	m.probed = &survey{p: Probe{Chat: offer, Raw: offer}}
	return &Batch{m}, nil
}

// Call is the call that asks a request. The failure says why the request cannot be asked at all.
func (b *Batch) Call(ctx context.Context, r backends.Request) (backends.BatchCall, *backends.Failure) {
	x := &posted{}
	a := b.m.one(context.WithValue(ctx, postedKey{}, x), r)
	switch {
	case x.call.URL != "":
		return x.call, nil
	case a.Failure != nil:
		return backends.BatchCall{}, a.Failure
	}
	return backends.BatchCall{}, &backends.Failure{Cause: backends.Internal, Message: "the request led to no call"}
}

// Answer reads the reply to a request. It has no latency: nobody measured any.
func (b *Batch) Answer(ctx context.Context, r backends.Request, reply backends.BatchReply) backends.Answer {
	x := &posted{reply: &reply}
	a := b.m.one(context.WithValue(ctx, postedKey{}, x), r)
	if a.Latency = 0; a.Failure != nil {
		a.Failure.Message = strings.ReplaceAll(a.Failure.Message, "at "+offered, "in the batch")
	}
	return a
}

type posted struct {
	reply *backends.BatchReply // nil = the call is written, not answered
	call  backends.BatchCall   // what was sent
	calls int
}

type postedKey struct{}

// batchWire takes the network's place.
type batchWire struct{ served string }

// RoundTrip keeps a call, and answers it with its reply where there is one. Every other route is one that the server
// does not have, except the list of models where a snapshot of the model replied: its name counts, and there is no list
// that could say so.
func (w batchWire) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(postedKey{}).(*posted)
	if !ok {
		return nil, fmt.Errorf("a call of a batch that belongs to no request: %s", req.URL.Path)
	}
	switch path := req.URL.Path; {
	case req.Method == http.MethodPost && strings.HasSuffix(path, "/completions"):
		if x.calls++; x.calls > 1 {
			return nil, fmt.Errorf("a request of a batch took a second call")
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		if x.call = (backends.BatchCall{URL: path, Body: body}); x.reply != nil {
			return wire.Response(req, x.reply.Status, x.reply.Body), nil
		}
		return wire.Response(req, http.StatusBadRequest, nil), nil
	case strings.HasSuffix(path, "/models") && x.reply != nil:
		if list := w.list(x.reply.Body); list != nil {
			return wire.Response(req, http.StatusOK, list), nil
		}
	}
	return wire.Response(req, http.StatusNotFound, nil), nil
}

// list names the model that is asked and the snapshot of it that replied; nil = none did.
func (w batchWire) list(reply []byte) []byte {
	var said struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(reply, &said) != nil {
		return nil
	}
	date, snapshot := strings.CutPrefix(said.Model, w.served)
	if !snapshot || !dated.MatchString(date) {
		return nil
	}
	text, err := json.Marshal(struct {
		Data list `json:"data"`
	}{list{{ID: w.served}, {ID: said.Model}}})
	if err != nil {
		panic(err) // texts
	}
	return text
}
