package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
)

func checkOpenAI(b *backend, s *Study) any {
	r, f := b.raw, b.file
	b.checkAddresses(nil)
	c := backends.OpenAIConfig{
		Launch: b.launch(), OpenAIOptions: r.OpenAIOptions, EmbedBatch: r.Batch,
		Access: b.access(s),
		Extra: b.extra(ownedByOpenAI,
			"servers that give no log-probabilities: no_logprobs = true; another limit: max_tokens_field"),
	}
	for _, header := range slices.Sorted(maps.Keys(r.HeadersEnv)) {
		key := place.Join(b.key("headers_env"), header)
		if strings.ContainsFunc(header,
			func(r rune) bool { return r >= 0x80 || !alphanumeric(byte(r)) && r != '-' && r != '_' }) || header == "" {
			f.wrong(key, fmt.Sprintf("%q is no name of a header", header), "letters, digits and - make one")
		}
		f.variable(key, r.HeadersEnv[header])
	}
	return c
}

// ownedByOpenAI are the fields of a request that the request itself decides.
var ownedByOpenAI = []string{"model", "messages", "prompt", "stream", "n", "logprobs", "top_logprobs", "max_tokens",
	"max_completion_tokens", "echo"}

// openAIModel checks a model behind a server, and says how to open it.
func openAIModel(_ *modelCheck, d *definition, m *Model, b *backend) {
	c, _ := b.common.(backends.OpenAIConfig)
	c.Served = cmp.Or(m.Served, m.Config.Model.ID)
	if b.launched() {
		c.Launch = launchModel(d, m, c.Launch)
	} else if c.URLs, _ = b.urlsOf(d.name); len(c.URLs) == 0 {
		b.lacksURLs("urls = [\"http://host:8000/v1\"], or a table [" + b.at + ".launch] that says how to start one")
	}
	if m.Path != "" && !b.launched() {
		d.wrong("path", "a model behind a server has no folder here",
			"leave it out, or set backend = \"local\"; the model's name on the server is served = …")
	}
	if c.Effort = m.Effort; c.Effort != "" {
		checkEffort(d, m, b)
	}
	m.Config.Settings, m.HeadersEnv = &c, b.raw.HeadersEnv
	m.BatchDiscount = b.raw.BatchDiscount
	if c.Launch == nil || !c.Launch.Content {
		warnUnversioned(d)
	}
	m.Config.Model.Revision += variant(c)
}

// checkEffort refuses an effort where nothing or something else would be sent.
func checkEffort(d *definition, m *Model, b *backend) {
	const field = "reasoning_effort"
	_, set := b.raw.Extra[field]
	switch {
	case m.Mode != backends.Chat:
		d.wrong("effort", "mode raw has no thoughts apart from the text, and the protocol no effort", "set mode = \"chat\" "+
			"for the model, or leave effort out")
	case set || slices.Contains(b.raw.Drop, field):
		d.wrong("effort", "the model's backend decides on "+field+" for every request (extra, drop)", "leave it out there")
	}
}

// variant distinguishes models whose answers differ by backend settings: "+" and a hash of the
// settings that differ from their defaults, "" if none does.
func variant(c backends.OpenAIConfig) string {
	changes := map[string]any{}
	for o := range options(reflect.ValueOf(&c.OpenAIOptions).Elem()) {
		if !o.usual() && o.key != "max_tokens_field" { // which changes no answer
			changes[o.key] = o.Interface()
		}
	}
	if len(c.Extra) > 0 {
		changes["extra"] = c.Extra
	}
	return mark(changes, len(changes))
}

// mark is "+" and a hash of n settings; "" = there is none.
func mark(settings any, n int) string {
	if n == 0 {
		return ""
	}
	text, err := json.Marshal(settings) // keys come sorted
	if err != nil {
		panic("spec: checked settings have no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return "+" + hex.EncodeToString(sum[:4])
}

// checkChained refuses models without confidence where one is needed, anywhere
// in a cascade but at its end, and chats whose classifications would be asked
// by echo.
func checkChained(l link, wrong func(message, hint string)) {
	c, ok := l.model.Config.Settings.(*backends.OpenAIConfig)
	if !ok {
		return // its mistakes were reported
	}
	name := l.model.Name
	const fix = "put it last, let it vote (samples = { n = 5, temperature = 0.7 }), or serve it where " +
		"log-probabilities are offered"
	if l.classifies && c.Labels == backends.LabelsEcho && l.model.Mode == backends.Chat {
		wrong(fmt.Sprintf("%s is asked in chats, and its backend says labels = \"echo\": no server echoes a chat with its "+
			"log-probabilities", name), "set mode = \"raw\" for the model, or labels = \"auto\"")
	}
	switch {
	case !l.student:
	case c.NoLogprobs:
		wrong(fmt.Sprintf("%s gives no log-probabilities (its backend says no_logprobs), so there is no confidence to "+
			"decide by", name), fix+" and leave no_logprobs out")
	case c.Labels == backends.LabelsText && l.classifies:
		wrong(fmt.Sprintf("%s answers classifications without probabilities (its backend says labels = \"text\"), so "+
			"there is no confidence to decide by", name), fix+" and leave labels out")
	}
}
