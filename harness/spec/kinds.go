package spec

import (
	"reflect"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
	"infnet/harness/spec/place"
)

// kind describes one kind of backend in a spec: its keys, their checks, and the configuration of
// its models. A new kind is an entry in kinds, in a file of its own.
type kind struct {
	name  backends.Kind
	title string // in messages

	own bool // models name it as their backend, without a table

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
	student    bool // any but the last whose log-probabilities decide
	datasets   []*Dataset
	classifies bool // some dataset is a classification
}

// kinds is the table of kinds, those without a [backends] table first.
func kinds() []*kind {
	return []*kind{localKind(), encoderKind(), bartKind(), simulatedKind(), replayKind(), openAIKind(), huggingFaceKind(),
		hostedKind(), decisionsKind()}
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

// tableKinds are the kinds that a [backends] table may have: those that it has keys for.
func tableKinds() []rawKind {
	var out []rawKind
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

func kindNames() []string {
	var out []string
	for _, k := range tableKinds() {
		out = append(out, string(k))
	}
	return out
}

// of reports whether models or tables of a kind have the option.
func (o option) of(k *kind) bool {
	kinds := strings.Fields(o.tag.Get("for"))
	return len(kinds) == 0 || slices.Contains(kinds, string(k.name))
}

// strays reports the keys of a table that its kind does not have.
func (k *kind) strays(f *file, at string, table any) {
	for o := range options(reflect.ValueOf(table).Elem()) {
		if key := place.Join(at, o.key); !o.of(k) && f.text.Has(key) && !f.bad[key] {
			hint := "it is for backends of kind " + choice.And(strings.Fields(o.tag.Get("for"))) + "; leave it out"
			if fix := o.tag.Get("stray"); fix != "" {
				hint += ", or " + fix
			}
			f.misplaced(key, "this key is not for "+k.title, hint)
		}
	}
}
