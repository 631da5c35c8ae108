package result

import (
	"slices"

	"infnet/metrics/infer"
)

// StandIn is a model that stood in for the one that a study names.
type StandIn struct {
	For   string `json:"for"`
	Model string `json:"model"`
	Role  string `json:"role,omitempty"` // by which it was replaced; "" = by name

	// what it stood in as: "learner" (a baseline's program), "embedder" or "scorer"; "" = a language model of a cascade
	Part string `json:"part,omitempty"`
}

// StandInModels are the stand-ins that change what the whole study says: those of language models. Of learners,
// embedders and scorers, footnotes speak where their numbers are.
func (s *Results) StandInModels() []StandIn {
	return slices.DeleteFunc(slices.Clone(s.StandIns), func(x StandIn) bool { return x.Part != "" })
}

// Published is the table of the paper that a study stands against, row by row beside the study's own.
type Published struct {
	Table  string           `json:"table"`
	Groups []PublishedGroup `json:"groups"`
}

// PublishedGroup is one dataset and pair of models of the table.
type PublishedGroup struct {
	Dataset string   `json:"dataset"`
	Student string   `json:"student"` // as published
	Master  string   `json:"master"`
	Cascade string   `json:"cascade,omitempty"` // ours; "" = the study has none
	Metrics []string `json:"metrics"`           // of the printed scores
	// models, rows, split, task, direction and correctness rule are the same
	Alike   bool            `json:"alike"`
	Differs []Note          `json:"differs,omitempty"` // what is not
	Notes   []Note          `json:"notes,omitempty"`   // what a reader should know of the printed numbers
	Rows    []PublishedRow  `json:"rows,omitempty"`
	Tests   []PublishedTest `json:"tests,omitempty"`
}

// PublishedRow is one printed policy.
type PublishedRow struct {
	Policy   string    `json:"policy"`        // as printed
	Row      string    `json:"row,omitempty"` // ours; "" = there is none
	Scores   []Compare `json:"scores"`        // by the group's metrics
	Saved    Compare   `json:"saved_pct"`
	Deferred Compare   `json:"deferred"` // the share that the printed saving implies, whatever the costs are
	Summary  string    `json:"summary"`  // of the costs behind our saving
	Notes    []Note    `json:"notes,omitempty"`
}

// PublishedTest is one printed line of the sufficiency table.
type PublishedTest struct {
	Extra string  `json:"extra"`
	Null  Compare `json:"mse_null"`
	Full  Compare `json:"mse_full"`
	Delta Compare `json:"delta_mse"`
	P     Compare `json:"p"`
	Notes []Note  `json:"notes,omitempty"`
}

// Compare sets a printed number beside ours.
type Compare struct {
	Printed    string         `json:"printed"` // as printed; "" = computed from printed numbers
	Value      float64        `json:"value"`
	Slack      float64        `json:"slack"`      // what rounding may have moved the printed number
	Ours       infer.Interval `json:"ours"`       // its N is 0 where there is none
	Difference Float          `json:"difference"` // ours minus the printed number; null = ours is not known
	// "yes", "no": is the printed number, give or take its slack, in our interval? "" = no verdict
	Within string `json:"within"`
}
