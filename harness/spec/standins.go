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
	LearnerRole  = "learner"  // a baseline's program, only by a learner of infnet's own: "light"
	// what scores answers for HybridLLM: also by "none", after which their correctness or token F1 does
	ScorerRole = "scorer"
)

// NoScorer stands in for a scorer.
const NoScorer = "none"

// StandIn is a model that is asked in place of the one that a study names.
type StandIn struct {
	For   string // as the study names it
	Model string // the one that is asked
	Role  string `json:",omitempty"` // by which it was replaced; "" = by its name

	// what it stands in as: LearnerRole, EmbedderRole or ScorerRole; "" = a language model of a cascade
	Part string `json:",omitempty"`
}

// replacements are those that the command line asks for: from roles or names of
// models to names of models.
type replacements map[string]string

// instead returns what stands in for something that a spec names: by its own
// name, or by its role. A name takes precedence over a role.
func (r replacements) instead(name, role string) (to, by string) {
	if to, ok := r[name]; ok {
		return to, ""
	}
	if to, ok := r[role]; ok && role != "" {
		return to, role
	}
	return name, ""
}

// learner returns the learner of a baseline, which another may stand in for where it is a program.
func (r replacements) learner(own router.Kind) router.Kind {
	if to, ok := r[LearnerRole]; ok && own == router.Command {
		return router.Kind(to)
	}
	return own
}

// standIns are the replacements of a study, and those that were made.
type standIns struct {
	replacements // without the wrong ones, which are reported once
	main         *file
	models       definitions
	noted        []StandIn
}

func newStandIns(in *sources, models definitions, asked replacements) *standIns {
	s := &standIns{main: in.main(), models: models, replacements: maps.Clone(asked)}
	if !in.whole {
		return s
	}
	known := models.names()
	valid := append([]string{StudentRole, MasterRole, EmbedderRole, LearnerRole, ScorerRole}, known...)
	for _, from := range slices.Sorted(maps.Keys(asked)) {
		to := asked[from]
		if !slices.Contains(valid, from) {
			s.main.fault(fmt.Sprintf("--model-override: no role and no model is named %q", from), place.Suggest(from, valid))
			delete(s.replacements, from)
		}
		may, other := map[string][]string{EmbedderRole: append([]string{string(backends.Lexical)}, known...),
			LearnerRole: {string(router.Light)}, ScorerRole: append([]string{NoScorer}, known...)}[from]
		if !other {
			may = known
		}
		if !slices.Contains(may, to) {
			s.main.fault(fmt.Sprintf("--model-override: no model is named %q", to),
				place.Suggest(to, may)+" (--use FILE takes further definitions)")
			delete(s.replacements, from)
		}
	}
	return s
}

// note keeps a stand-in once, and marks the model that it replaces.
func (s *standIns) note(x StandIn) {
	if x.For == x.Model {
		return
	}
	if !slices.Contains(s.noted, x) {
		s.noted = append(s.noted, x)
	}
	for _, d := range s.models {
		d.replaced = d.replaced || d.name == x.For
	}
}

// cascade returns the models that a cascade asks: those it names, or those that
// stand in for them.
func (s *standIns) cascade(written []string, name string) []string {
	if len(s.replacements) == 0 {
		return written
	}
	asked := slices.Clone(written)
	for i, model := range written {
		role := map[int]string{len(written) - 1: MasterRole, 0: StudentRole}[i]
		to, by := s.instead(model, role)
		asked[i] = to
		s.note(StandIn{For: model, Model: to, Role: by})
	}
	for i, m := range asked {
		if j := slices.Index(asked[:i], m); j >= 0 && !slices.Contains(written[:i], written[i]) {
			s.main.fault(fmt.Sprintf("--model-override: in the cascade %s, %s and %s are both %s", name, written[j],
				written[i], m), "a cascade has different models")
			return written
		}
	}
	return asked
}

func (s *standIns) learners(baselines []Baseline) {
	for _, b := range baselines {
		if by := s.learner(b.Learner); by != b.Learner {
			s.note(StandIn{For: b.Program(), Model: string(by), Role: LearnerRole, Part: LearnerRole})
		}
	}
}

// serving returns the model of a role, which another may stand in for; "" where it is the word for none.
func (s *standIns) serving(written, role, none string) string {
	to, by := s.instead(written, role)
	s.note(StandIn{For: written, Model: to, Role: by, Part: role})
	if to == none {
		return ""
	}
	return to
}

// AsksOthers reports whether other language models are asked than those that
// the study is about: its results are then another study's.
func (s *Study) AsksOthers() bool {
	return slices.ContainsFunc(s.StandIns, func(x StandIn) bool { return x.Part == "" })
}

// wordingStandsIn reports whether the lexical embedder stands in for a model.
func (s *Study) wordingStandsIn() bool {
	return s.Embedder.Kind == backends.Lexical &&
		slices.ContainsFunc(s.StandIns, func(x StandIn) bool { return x.Model == string(backends.Lexical) })
}

func (s *Study) instead(role, model string) bool {
	return slices.ContainsFunc(s.StandIns, func(x StandIn) bool { return x.Role == role && x.Model == model })
}
