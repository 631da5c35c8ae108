package spec

import (
	"slices"

	"infnet/backends"
	"infnet/harness/choice"
)

// kind describes one kind of backend in a spec: its keys, their checks, and the configuration of
// its models. A new kind is an entry in kinds, in a file of its own.
type kind struct {
	name   backends.Kind
	title  string          // in messages
	traits backends.Traits // what its models can do

	own    bool              // models name it as their backend, without a table
	keys   []string          // allowed in a [backends.NAME] table of the kind; nil = it has no table
	strays map[string]remark // keys of a model that mean nothing for it
	shaped bool              // the spec may state the network's shape
	system bool              // the spec may state a system prompt

	// table checks a [backends.NAME] table and returns the settings that its models share; nil =
	// nothing to check.
	table func(b *backend, s *Study) any
	// model checks a model, and fills in how to open it. b is nil without a
	// table.
	model func(c *modelCheck, d *definition, m *Model, b *backend)
	// unshaped reports a model without a shape if costs are FLOPs; nil = never.
	unshaped func(d *definition)
	// chained reports by wrong what is wrong with a model in a cascade; nil = nothing to check.
	chained func(l link, wrong func(message, hint string))
}

// remark is a message and what to do about it.
type remark struct{ message, hint string }

// link is a model of a cascade.
type link struct {
	model      *Model
	student    bool // any but the last
	datasets   []*Dataset
	classifies bool // some dataset is a classification
}

// kinds is the table of kinds, those without a [backends] table first.
func kinds() []*kind {
	return []*kind{localKind(), encoderKind(), bartKind(), simulatedKind(), replayKind(), openAIKind(), huggingFaceKind(),
		hostedKind()}
}

// kindOf returns the entry of a kind; nil = there is none.
func kindOf(name backends.Kind) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return k
		}
	}
	return nil
}

// ownKinds are the kinds that models may name directly.
func ownKinds() []string {
	var out []string
	for _, k := range kinds() {
		if k.own {
			out = append(out, string(k.name))
		}
	}
	return out
}

// rawKind is a kind that a [backends] table may have.
type rawKind backends.Kind

// tableKinds are the kinds that a [backends] table may have.
func tableKinds() []rawKind {
	var out []rawKind
	for _, k := range kinds() {
		if k.keys != nil {
			out = append(out, rawKind(k.name))
		}
	}
	return out
}

// UnmarshalText accepts the name of a kind.
func (k *rawKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "backend kind", tableKinds())
}

func kindNames() []string {
	var out []string
	for _, k := range tableKinds() {
		out = append(out, string(k))
	}
	return out
}

// traitsOf returns what the models of a kind can do; none for an unknown kind,
// and for the lexical embedder, which has no entry.
func traitsOf(name backends.Kind) backends.Traits {
	if k := kindOf(name); k != nil {
		return k.traits
	}
	return backends.Traits{}
}

// checkStrays reports the keys of a model that its kind gives no meaning.
func (k *kind) checkStrays(d *definition, b *backend) {
	r := d.model()
	written := []struct {
		key string
		is  bool
	}{
		{"path", r.Path != nil}, {"served", r.Served != nil}, {"revision", r.Revision != nil},
		{"shape", r.Shape != nil}, {"simulated", r.Simulated != nil}, {"answers", r.Answers != nil},
		{"answers_format", r.AnswersFormat != nil}, {"answers_filter", r.AnswersFilter != nil},
		{"answers_delimiter", r.AnswersDelim != nil}, {"columns", r.Columns != nil},
		{"answers_also", r.AnswersAlso != nil}, {"null_logprob", r.NullLogprob != nil},
		{"answers_of", r.AnswersOf != nil}, {"without_confidence", r.NoConfidence != nil},
		{"counted_apart", r.CountedApart != nil},
	}
	for _, w := range written {
		if w.key == "path" && b.launched() {
			continue // the weights that the engine reads
		}
		if s, stray := k.strays[w.key]; stray && w.is {
			d.wrong(w.key, s.message, s.hint)
		}
	}
	if r.System != nil && !k.system {
		d.wrong("system", "a model of kind "+string(k.name)+" takes no system prompt",
			"write it into the datasets' prompts, or ask a hosted model")
	}
}

// merge joins the keys that several kinds give no meaning.
func merge(lists ...map[string]remark) map[string]remark {
	out := map[string]remark{}
	for _, l := range lists {
		for key, r := range l {
			out[key] = r
		}
	}
	return out
}

// notRecorded are the keys of recorded answers, for a kind that computes.
func notRecorded(k backends.Kind) map[string]remark {
	out := map[string]remark{
		"answers": {"this model is computed (" + string(k) + "), and its answers are not recorded",
			"leave it out, or set backend = \"replay\""},
	}
	for _, key := range []string{"answers_format", "answers_filter", "answers_delimiter", "answers_also",
		"answers_of", "without_confidence",
		"columns", "null_logprob", "counted_apart"} {
		out[key] = remark{"this is for recorded answers", "leave it out, or name their file: answers = …"}
	}
	return out
}

// inFolder are the keys that a model with a folder of weights cannot have.
func inFolder(k backends.Kind) map[string]remark {
	return merge(notRecorded(k), map[string]remark{
		"simulated": {"a local model simulates nothing", "leave it out, or set backend = \"simulated\""},
		"served":    {"a " + string(k) + " model is on no server", "leave it out"},
		"shape":     {"a local model's shape is read from its config.json", "leave it out"},
	})
}

// onServer are the keys that a model behind a server cannot have.
func onServer(k backends.Kind) map[string]remark {
	return merge(notRecorded(k), map[string]remark{
		"path": {"a model behind a server has no folder here",
			"leave it out, or set backend = \"local\"; the model's name on the server is served = …"},
		"simulated": {"a model behind a server simulates nothing", "leave it out, or set backend = \"simulated\""},
	})
}

// servers are the keys of every table of servers.
func servers(more ...string) []string {
	return slices.Concat([]string{"urls", "urls_of", "api_key_env", "timeout", "concurrency"}, more)
}
