package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
	"infnet/harness/spec/place"
)

// kind describes one kind of backend in a spec.
type kind struct {
	name  backends.Kind
	title string // in messages

	own bool // models name it as their backend, without a table

	// model checks a model, and fills in how to open it. b is nil without a table.
	model func(c *modelCheck, d *definition, m *Model, b *backend)
	// unshaped is the key, the message and the fix for a model without a shape if costs are FLOPs; without a message, the
	// key is missing, without a key nothing is wrong.
	unshaped [3]string

	// Of a kind whose models are behind servers:

	// open makes the settings of a model.
	open func(b *backend, d *definition, m *Model, a backends.Access) any

	table   func(b *backend)      // checks a table; nil = nothing to check
	address func(*url.URL) remark // what is wrong with a URL; nil = nothing ever
	urls    string                // what to write where there are none; "" = none are needed
	single  remark                // to more URLs than one; none = there may be several
	mode    backends.Mode         // the only one there is; "" = both
	modal   string                // why
}

type remark struct{ message, hint string }

// kinds is the table of kinds, those without a [backends] table first.
func kinds() []*kind {
	const other = "choose another cost.model: price, tokens, latency, fixed"
	silent := func(who string) [3]string {
		return [3]string{"backend", "cost.model = \"tflops\" counts the network's work, and " + who +
			" says nothing of its network", other}
	}
	return []*kind{
		{name: backends.Local, title: "a local model", own: true, model: folderModel},
		{name: backends.Encoder, title: "an encoder", own: true, model: folderModel}, // only embeds
		{name: backends.BART, title: "a scorer", own: true, model: folderModel},      // only scores
		{name: backends.Simulated, title: "a simulated model", own: true, model: checkSimulated,
			unshaped: [3]string{"backend", "a simulated model has no network whose FLOPs could be counted, and cost.model is " +
				"\"tflops\"", "set cost.model = \"fixed\" and a fixed_cost for every model, or \"tokens\""}},
		{name: backends.Replay, title: "a model of recorded answers", own: true, model: checkReplay,
			unshaped: [3]string{"shape", "", "cost.model = \"tflops\" counts the network's work: give the shape and record " +
				"prompt_tokens and completion_tokens, or set cost.model = \"fixed\" and a fixed_cost for every model"}},
		{name: backends.OpenAI, title: "a server", table: checkOpenAI, open: openOpenAI,
			urls: "urls = [\"http://host:8000/v1\"], or a table [backends.NAME.launch] that says how to start one",
			unshaped: [3]string{"shape", "", "cost.model = \"tflops\" counts the network's work: shape = \"gemma3-4b\" for a " +
				"known one, or the folder of the model's config.json; or " + other}},
		{name: backends.HuggingFace, title: "a Hugging Face endpoint", open: openHuggingFace,
			address: func(u *url.URL) (r remark) {
				if u.Hostname() == "api-inference.huggingface.co" {
					r = remark{"this host answers no more",
						"name a dedicated endpoint, or https://router.huggingface.co/hf-inference/models/OWNER/NAME"}
				}
				return r
			},
			urls:   "urls = [\"https://router.huggingface.co/hf-inference/models/OWNER/NAME\"]",
			single: remark{"an endpoint has one", "give each model its own: urls_of = { my-model = [\"https://…\"] }"},
			mode:   backends.Raw, modal: "a Hugging Face endpoint takes fields, not chats"},
		{name: backends.Hosted, title: "a provider", table: checkHosted, open: openHosted, address: hostedAddress,
			single: remark{"a provider has one", "name the gateway's alone"},
			mode:   backends.Chat, modal: "providers offer chats alone", unshaped: silent("a provider")},
		{name: backends.Decisions, title: "a server of decision models", open: openDecisions,
			address: func(u *url.URL) (r remark) {
				if strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/systemone") {
					r = remark{"the URL names one route", "give the base URL, which ends before /systemone"}
				}
				return r
			},
			urls: "urls = [\"http://127.0.0.1:8009/v1\"]",
			mode: backends.Raw, modal: "a decision model reads a text, not a chat",
			unshaped: silent("a server of decision models")},
	}
}

func kindOf(name backends.Kind) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return k
		}
	}
	return nil
}

// ownKinds are the kinds that models may name directly.
func ownKinds() (out []string) {
	for _, k := range kinds() {
		if k.own {
			out = append(out, string(k.name))
		}
	}
	return out
}

// rawKind is a kind that a [backends] table may have.
type rawKind backends.Kind

// tableKinds are the kinds that a [backends] table may have: those that it has keys for.
func tableKinds() (out []rawKind) {
	for _, k := range kinds() {
		for o := range options(reflect.ValueOf(&rawBackend{}).Elem()) {
			if o.tag.Get("for") != "" && o.of(k) {
				out = append(out, rawKind(k.name))
				break
			}
		}
	}
	return out
}

// UnmarshalText accepts the name of a kind.
func (k *rawKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "backend kind", tableKinds())
}

// of reports whether models or tables of a kind have the option.
func (o option) of(k *kind) bool {
	kinds := strings.Fields(o.tag.Get("for"))
	return len(kinds) == 0 || slices.Contains(kinds, string(k.name))
}

// keys reports the keys of a table that its kind does not have, and those of its kind alone that it lacks.
func (k *kind) keys(f *file, at string, table any) {
	for o := range options(reflect.ValueOf(table).Elem()) {
		key := place.Join(at, o.key)
		if o.of(k) {
			if need := o.needed(); need != "" && o.tag.Get("for") != "" {
				f.missing(at, o.key, need)
			}
		} else if f.text.Has(key) && !f.bad[key] {
			hint := "it is for backends of kind " + choice.And(strings.Fields(o.tag.Get("for"))) + "; leave it out"
			if fix := o.tag.Get("stray"); fix != "" {
				hint += ", or " + fix
			}
			f.misplaced(key, "this key is not for "+k.title, hint)
		}
	}
}

// checkSimulated checks a model drawn from a stated joint distribution. Its revision is equal only for equal
// distributions, so that answers are never mixed up.
func checkSimulated(c *modelCheck, _ *definition, m *Model, _ *backend) {
	if m.Simulated == nil {
		return // reported
	}
	s := *m.Simulated
	s.Params, s.Seed = m.Params, c.study.Seed
	sum := sha256.Sum256(fmt.Appendf(nil, "infnet simulated 1 %x %x %x %x %x %x %d", s.Alpha, s.Beta, s.Intercept, s.Slope,
		s.Rho, s.Params, s.Seed))
	m.Config.Settings, m.Config.Model.Revision = &s, hex.EncodeToString(sum[:16])
}
