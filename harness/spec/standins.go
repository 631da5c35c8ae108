package spec

import (
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/router"
	"infnet/harness/spec/place"
)

// The roles by which a model can be replaced.
const (
	StudentRole  = "student"  // the first model of every cascade
	MasterRole   = "master"   // the last
	EmbedderRole = "embedder" // what embeds texts: also by "lexical"
	EncoderRole  = "encoder"  // what baselines fine-tune: also by a learner that needs none, "light" or "gbdt"
	ScorerRole   = "scorer"   // what scores answers for HybridLLM: also by "none", after which their correctness or token F1 does
)

// NoScorer stands in for a scorer.
const NoScorer = "none"

// StandIn is a model that is asked in place of the one that a study names.
type StandIn struct {
	For   string // as the study names it
	Model string // the one that is asked
	Role  string `json:",omitempty"` // by which it was replaced; "" = by its name

	Part string `json:",omitempty"` // what it stands in as: EncoderRole, EmbedderRole or ScorerRole; "" = a language model of a cascade
}

// standIns checks the replacements of the command line, from roles or names of
// models to names of models.
func (l *loader) standIns(models []*definition, whole bool) {
	known := defined(models)
	valid := append([]string{StudentRole, MasterRole, EmbedderRole, EncoderRole, ScorerRole}, known...)
	complain := func(message, hint string) {
		l.problems.Add(place.Problem{File: l.files[0].name, Message: "--model-override: " + message, Hint: hint})
	}
	asked := l.options.StandIns
	l.options.StandIns = maps.Clone(asked) // without the wrong ones, which are reported once
	for _, from := range slices.Sorted(maps.Keys(asked)) {
		to := l.options.StandIns[from]
		if !slices.Contains(valid, from) && whole {
			complain(fmt.Sprintf("no role and no model is named %q", from), place.Suggest(from, valid))
			delete(l.options.StandIns, from)
		}
		may := known
		switch from {
		case EmbedderRole:
			may = append([]string{string(backends.Lexical)}, known...)
		case EncoderRole:
			may = append([]string{string(router.Light), string(router.GBDT)}, known...)
		case ScorerRole:
			may = append([]string{NoScorer}, known...)
		}
		if !slices.Contains(may, to) && whole {
			complain(fmt.Sprintf("no model is named %q", to), place.Suggest(to, may)+" (--use FILE takes further definitions)")
			delete(l.options.StandIns, from)
		}
	}
}

// instead returns what stands in for something that a spec names: by its own
// name, or by its role.
func (l *loader) instead(name, role string) (to, by string) {
	if to, ok := l.options.StandIns[name]; ok {
		return to, ""
	}
	if to, ok := l.options.StandIns[role]; ok {
		return to, role
	}
	return name, ""
}

// AsksOthers reports whether other language models are asked than those that
// the study is about: its results are then another study's.
func (s *Study) AsksOthers() bool {
	return slices.ContainsFunc(s.StandIns, func(x StandIn) bool { return x.Part == "" })
}

// stands notes a stand-in once.
func stands(list []StandIn, s StandIn) []StandIn {
	if s.For == s.Model || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// teaches returns the learner and the encoder of a baseline, which others may
// stand in for.
func (l *loader) teaches(r rawBaseline) (router.Kind, string) {
	learner, name := or(r.Learner, router.Light), or(r.Encoder, "")
	if learner != router.Encoder || name == "" {
		return learner, name
	}
	switch to, _ := l.instead(name, EncoderRole); to {
	case string(router.Light), string(router.GBDT):
		return router.Kind(to), ""
	default:
		return learner, to
	}
}

// encodersInstead lists who stands in for the encoders of baselines.
func (l *loader) encodersInstead(s *Study, models []*definition) {
	for _, r := range l.files[0].raw.Baselines {
		if r.Encoder == nil || or(r.Learner, router.Light) != router.Encoder {
			continue
		}
		to, role := l.instead(*r.Encoder, EncoderRole)
		s.StandIns = stands(s.StandIns, StandIn{For: *r.Encoder, Model: to, Role: role, Part: EncoderRole})
		for _, d := range models {
			d.replaced = d.replaced || to != *r.Encoder && d.name == *r.Encoder
		}
	}
}

// standIn returns the models that a cascade asks: those it names, or those
// that stand in for them. A model's own name goes before its role.
func (l *loader) standIn(written []string, name string, models []*definition, into *[]StandIn) []string {
	if len(l.options.StandIns) == 0 {
		return written
	}
	asked := slices.Clone(written)
	for i, for_ := range written {
		role := ""
		to, ok := l.options.StandIns[for_]
		if !ok {
			switch i {
			case 0:
				role = StudentRole
			case len(written) - 1:
				role = MasterRole
			default:
				continue
			}
			if to, ok = l.options.StandIns[role]; !ok {
				continue
			}
		}
		if to == for_ {
			continue
		}
		asked[i] = to
		*into = stands(*into, StandIn{For: for_, Model: to, Role: role})
		for _, d := range models {
			d.replaced = d.replaced || d.name == for_
		}
	}
	for i, m := range asked {
		if j := slices.Index(asked[:i], m); j >= 0 && !slices.Contains(written[:i], written[i]) {
			l.problems.Add(place.Problem{File: l.files[0].name, Message: fmt.Sprintf("--model-override: in the cascade %s, %s and %s are both %s", name, written[j], written[i], m),
				Hint: "a cascade has different models"})
			return written
		}
	}
	return asked
}

// over reads the files whose definitions take the place of the study's and of
// its catalogs'. It returns false where one could not be read.
func (l *loader) over() bool {
	whole := true
	for i, name := range l.options.Use {
		if slices.Contains(l.options.Use[:i], name) {
			continue
		}
		data, err := l.fsys.read(name)
		if err != nil {
			l.problems.Add(place.Problem{File: l.files[0].name, Message: fmt.Sprintf("--use %s: cannot read the catalog: %s", name, reason(err)), Hint: "a TOML file of models, datasets and backends, relative to the working folder"})
			whole = false
			continue
		}
		c := &file{name: name, where: name, over: true}
		l.files = append(l.files, c)
		whole = c.parse(data, &l.problems) && whole
	}
	return whole
}

// ranked lists the files by whose definition holds where several have one of
// the same name: those over the study, the study, its catalogs.
func (l *loader) ranked() []*file {
	var out, rest []*file
	for _, f := range l.files {
		if f.over {
			out = append(out, f)
		} else {
			rest = append(rest, f)
		}
	}
	return append(out, rest...)
}

// take puts a definition of a file over the study in the place of this one,
// which keeps its rank among the study's own.
func (d *definition) take(over *definition) {
	d.file.named = true
	d.file, d.at, d.i, d.name = over.file, over.at, over.i, over.name
}

// defined lists the names of definitions.
func defined(all []*definition) []string {
	var out []string
	for _, d := range all {
		if d.name != "" {
			out = append(out, d.name)
		}
	}
	return out
}

// embedsInstead returns the model that embeds, which another may stand in for;
// nil is the built-in lexical embedder.
func (l *loader) embedsInstead(s *Study, r rawEmbedder, models []*definition) *string {
	written := or(r.Model, string(backends.Lexical))
	to, role := l.instead(written, EmbedderRole)
	s.StandIns = stands(s.StandIns, StandIn{For: written, Model: to, Role: role, Part: EmbedderRole})
	for _, d := range models {
		d.replaced = d.replaced || to != written && d.name == written
	}
	if to == string(backends.Lexical) {
		return nil
	}
	return &to
}

// wordingStandsIn reports whether the lexical embedder stands in for a model.
func (s *Study) wordingStandsIn() bool {
	return s.Embedder.Kind == backends.Lexical &&
		slices.ContainsFunc(s.StandIns, func(x StandIn) bool { return x.Model == string(backends.Lexical) })
}

// scorerInstead returns the model that scores, which another may stand in for;
// "" is none.
func (l *loader) scorerInstead(s *Study, models []*definition) string {
	written := *l.files[0].raw.Scorer.Model
	to, role := l.instead(written, ScorerRole)
	s.StandIns = stands(s.StandIns, StandIn{For: written, Model: to, Role: role, Part: ScorerRole})
	for _, d := range models {
		d.replaced = d.replaced || to != written && d.name == written
	}
	if to == NoScorer {
		return ""
	}
	return to
}

// instead reports whether the model stands in by this role.
func (s *Study) instead(role, model string) bool {
	return slices.ContainsFunc(s.StandIns, func(x StandIn) bool { return x.Role == role && x.Model == model })
}
