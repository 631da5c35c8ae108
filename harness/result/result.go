// Package result is the schema of results.json: everything a study found,
// with the uncertainty and the caveats of each number, and enough provenance
// to recompute it. It owns the shape and its version; analyze fills it and
// reports read it. Nothing in it is rounded or formatted.
package result

import "infnet/metrics/infer"

// Version is the version of the schema. Readers refuse a newer one.
const Version = 1

// Study is what one spec led to.
type Study struct {
	Version  int        `json:"version"`
	Name     string     `json:"study"`
	Seed     uint64     `json:"seed"`
	Spec     Provenance `json:"provenance"`
	Level    float64    `json:"level"` // of every interval, e.g. 0.95
	Models   []Model    `json:"models"`
	Cascades []Cascade  `json:"cascades"`
	Warnings []string   `json:"warnings,omitempty"`
}

// Provenance names what a result was computed from. It holds no date, so the
// same input gives the same bytes.
type Provenance struct {
	Program     string `json:"program"`      // infnet's version
	SpecHash    string `json:"spec_hash"`    // of the resolved spec
	AnswersHash string `json:"answers_hash"` // of the sorted keys of all answers used
}

// Model is one model of the study.
type Model struct {
	Name     string  `json:"name"`
	ID       string  `json:"id"`
	Revision string  `json:"revision"`
	Backend  string  `json:"backend"`
	Params   float64 `json:"params"` // in billions; 0 = unknown
}

// Cascade is one student–master pair over its datasets: one table.
type Cascade struct {
	Name       string    `json:"name"`
	Models     []string  `json:"models"` // cheapest first
	Setting    string    `json:"setting"`
	Target     string    `json:"target"`
	CostModel  string    `json:"cost_model"`
	Summary    string    `json:"cost_summary"`
	Unit       string    `json:"cost_unit"`
	Datasets   []Dataset `json:"datasets"`
	Incomplete bool      `json:"incomplete"` // more answers are missing than the study allows
}

// Dataset is one cascade on one dataset: one group of rows in its table.
type Dataset struct {
	Name        string       `json:"name"`
	Source      string       `json:"source"`
	Hash        string       `json:"hash"`
	Task        string       `json:"task"`
	Rule        string       `json:"rule"`               // correctness rule
	Tau         float64      `json:"tau,omitempty"`      // its threshold, for rules that have one
	Embedder    string       `json:"embedder,omitempty"` // behind cosine scores
	Metrics     []string     `json:"metrics"`            // performance columns, in order
	Labels      []string     `json:"labels,omitempty"`   // classes, in index order
	Confidence  string       `json:"confidence"`         // score behind β
	Calibration string       `json:"calibration"`        //
	Counts      Counts       `json:"counts"`             //
	Split       Split        `json:"split"`              //
	Costs       []Cost       `json:"costs"`              // one per model, cheapest first
	Budget      Budget       `json:"budget"`             //
	Rows        []Row        `json:"rows"`               //
	Policies    []Policy     `json:"policies"`           // what was fitted
	Diagnostics []Diagnostic `json:"diagnostics"`        // of the confidence score, per model
	Notes       []Note       `json:"notes,omitempty"`    // caveats of the whole group
}

// Counts says which records the numbers rest on.
type Counts struct {
	Records   int       `json:"records"` // in the dataset as used
	Used      int       `json:"used"`    // answered by every model
	Fit       int       `json:"fit"`     // of Used
	Test      int       `json:"test"`    // of Used
	Skipped   int       `json:"skipped"` // bad rows the study allowed to be skipped
	Missing   []Missing `json:"missing,omitempty"`
	Truncated []Missing `json:"truncated,omitempty"` // prompts cut to the context, per model
	Unseen    []Missing `json:"unseen,omitempty"`    // answers with label mass the server did not report
	Empty     []Missing `json:"empty,omitempty"`     // empty generations
}

// Missing counts records of one model with one cause.
type Missing struct {
	Model string `json:"model"`
	Cause string `json:"cause,omitempty"`
	Count int    `json:"count"`
}

// Split says how records were divided, and what the division looks like.
type Split struct {
	Order    string   `json:"order"`    // "shuffle" or "file"
	Fraction string   `json:"fraction"` // of the fit part, as written
	Hash     string   `json:"hash"`     // of who did what
	Warnings []string `json:"warnings,omitempty"`
}

// Cost is what a model costs per query, on the fit part.
type Cost struct {
	Model string  `json:"model"`
	Value float64 `json:"value"`
	Mean  float64 `json:"mean"` // plain mean, whatever the summary
}

// Budget is the error budget on the fit part.
type Budget struct {
	Target  string  `json:"target"`
	Errors  float64 `json:"errors"` // B
	Records int     `json:"records"`
}

// Row is one policy's line in the table, measured on the test part.
type Row struct {
	Policy        string                    `json:"policy"`          // stable identifier: none, all, random, oracle-router, single, multi, …
	Title         string                    `json:"title"`           // as tables print it
	Metrics       map[string]infer.Interval `json:"metrics"`         // by metric name
	Error         infer.Interval            `json:"error"`           // error rate under the correctness rule: what policies control
	Deferred      infer.Interval            `json:"deferred"`        // fraction asked of the master
	Saved         infer.Interval            `json:"saved_pct"`       // 100·(1 − cost/c_m), constants from the fit part
	SavedPerQuery infer.Interval            `json:"saved_query_pct"` // the same from each record's own cost
	Charge        string                    `json:"charge"`          // "cascade": a deferred query pays every model; "router": one
	Baseline      bool                      `json:"baseline"`        // not one of ours
	Certified     bool                      `json:"certified"`       // carries a finite-sample guarantee
	Notes         []Note                    `json:"notes,omitempty"`
}

// Policy is a fitted threshold policy.
type Policy struct {
	Policy      string       `json:"policy"` // the Row it belongs to
	Method      string       `json:"method"`
	Thresholds  []Threshold  `json:"thresholds"` // one per class; one in all where classes share it
	Feasible    bool         `json:"feasible"`
	FitErrors   float64      `json:"fit_errors"`
	FitDeferred int          `json:"fit_deferred"`
	MinErrors   float64      `json:"min_errors"` // the least any thresholds achieve
	Certificate *Certificate `json:"certificate,omitempty"`
}

// Threshold is a class's threshold; Theta is "inf" for defer always.
type Threshold struct {
	Class string `json:"class,omitempty"`
	Theta Float  `json:"theta"`
}

// Certificate bounds how far thresholds are from optimal, in deferrals.
type Certificate struct {
	LowerBound float64 `json:"lower_bound"`
	Gap        float64 `json:"gap"`
	Optimal    bool    `json:"optimal"`
}

// Diagnostic describes one model's confidence on the used records.
type Diagnostic struct {
	Model   string         `json:"model"`
	Correct infer.Interval `json:"correct"` // share right under the correctness rule
	AUROC   infer.Interval `json:"auroc"`   // β for "this model is right"
	ECE     float64        `json:"ece"`     // expected calibration error, 15 equal-mass bins
	Brier   float64        `json:"brier"`   // mean squared difference of β and right/wrong
}

// Note is a caveat. Kind is stable, Text is for people.
type Note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}
