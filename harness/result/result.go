// Package result is the schema of results.json: everything a study found, with the uncertainty and the caveats of each
// number, and enough provenance to recompute it. It owns the shape and its version; analyze fills it and reports read
// it. Nothing in it is rounded or formatted.
package result

import (
	"infnet/harness/result/style"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

// Version is the version of the schema. Readers refuse every other one: 2 added
// curves, matched comparisons, tests and repeated splits.
const Version = 2

// Results are what one study led to.
type Results struct {
	Version  int        `json:"version"`
	Name     string     `json:"study"`
	Seed     uint64     `json:"seed"`
	Spec     Provenance `json:"provenance"`
	Level    float64    `json:"level"` // of every interval, e.g. 0.95
	Models   []Model    `json:"models"`
	Cascades []Cascade  `json:"cascades"`
	Pools    []Pool     `json:"pools,omitempty"`

	Grid     []Varied      `json:"grid,omitempty"`     // by axis
	Transfer []Transferred `json:"transfer,omitempty"` // by cascade, and dataset where a column divides it

	Warnings []string `json:"warnings,omitempty"`

	StandIns  []StandIn  `json:"stand_ins,omitempty"` // asked in place of the study's own; language models head its tables
	Published *Published `json:"published,omitempty"` // the published table it stands against

	Style style.Style `json:"style,omitzero"` // how tables and figures look
}

// Provenance names what a result was computed from. It holds no date, so the same input gives the same bytes.
type Provenance struct {
	Program     string `json:"program"`      // infnet's version
	SpecHash    string `json:"spec_hash"`    // of the resolved spec
	AnswersHash string `json:"answers_hash"` // of the sorted keys of all answers used

	// what the answers say, by model and dataset, in the study's order: another one behind the same name shows here
	Answers []AnswersContent `json:"answers,omitempty"`

	Prices *Prices `json:"prices,omitempty"` // nil = the spec states them, or none are needed
}

// AnswersContent is what one model answered to one dataset. The hash covers texts, tokens, log-probabilities and counts
// of tokens, and not how long they took.
type AnswersContent struct {
	Model   string `json:"model"`
	Dataset string `json:"dataset"`
	Answers int    `json:"answers"` // to different questions
	Hash    string `json:"sha256"`
}

// Prices name the file of prices that costs rest on.
type Prices struct {
	File string `json:"file"`
	Date string `json:"date"`
	Hash string `json:"sha256"`
}

// Model is one model of the study.
type Model struct {
	Name     string  `json:"name"`
	ID       string  `json:"id"`
	Revision string  `json:"revision"`
	Backend  string  `json:"backend"`
	Params   float64 `json:"params"` // in billions; 0 = unknown

	Served      string      `json:"served,omitempty"`      // servers: the name asked for
	AnsweredBy  []Responder `json:"answered_by,omitempty"` // by the names in the servers' replies
	Unconfirmed string      `json:"unconfirmed,omitempty"` // what is not known of who answers at the study's URLs

	LabelMode string `json:"label_mode,omitempty"` // servers: how classifications are asked
	// what was found behind its URLs when answers were collected, the first finding first
	Servers []Server `json:"servers,omitempty"`
}

// Responder is a name under which a model's servers answered.
type Responder struct {
	Name    string `json:"name"`
	Answers int    `json:"answers"` // of all datasets
}

// Server is what answered for a model.
type Server struct {
	Name        string `json:"name"`              // vllm, ollama, …; empty where it does not say
	Version     string `json:"version,omitempty"` // as it says
	Fingerprint string `json:"fingerprint"`       // of all that decides how answers come about
	Launch      string `json:"launch,omitempty"`  // the command by which infnet started it; empty where it did not
}

// Cascade is one student–master pair, or a chain of more models, over its datasets: one table.
type Cascade struct {
	Name       string    `json:"name"`
	Within     string    `json:"within,omitempty"`  // the chain that contains this pair: it uses the chain's records
	Models     []string  `json:"models"`            // cheapest first
	Written    []string  `json:"written,omitempty"` // the models that the study names, where others stood in for them
	Setting    string    `json:"setting"`
	Target     string    `json:"target"`
	Objective  string    `json:"objective"` // what thresholds minimise: deferrals or cost
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
	Revision    string       `json:"revision,omitempty"` // of the source: the commit of a dataset on the hub
	Hash        string       `json:"hash"`
	Task        string       `json:"task"`
	Direction   string       `json:"direction,omitempty"` // translation: such as de-en
	Rule        string       `json:"rule"`                // correctness rule
	Soft        bool         `json:"soft,omitempty"`      // errors are 1 less the rule's score, not 0 or 1
	Grader      string       `json:"grader,omitempty"`    // what grades: SHA-256 of the files of a program, or a model and its template
	Tau         float64      `json:"tau,omitempty"`       // its threshold, for rules that have one
	Embedder    string       `json:"embedder,omitempty"`  // behind cosine scores
	Metrics     []string     `json:"metrics"`             // performance columns, in order
	Labels      []string     `json:"labels,omitempty"`    // classes, in index order
	Confidence  string       `json:"confidence"`          // score behind β
	Calibration string       `json:"calibration"`         //
	Counts      Counts       `json:"counts"`              //
	Split       Split        `json:"split"`               //
	Costs       []Cost       `json:"costs"`               // one per model, cheapest first
	Budget      Budget       `json:"budget"`              //
	Rows        []Row        `json:"rows"`                //
	Policies    []Policy     `json:"policies"`            // what was fitted
	Diagnostics []Diagnostic `json:"diagnostics"`         // of the confidence score, per model
	Rising      []Rising     `json:"rising"`              // monotone-risk test, per class the student predicts
	Extra       *Extra       `json:"extra,omitempty"`     // chains: does the extra model pay? nil = not to be said
	// in words: does the threshold form lose anything on this data?
	Form        string       `json:"form"`
	Sufficiency *Sufficiency `json:"sufficiency,omitempty"` // nil = not tested
	Notes       []Note       `json:"notes,omitempty"`       // caveats of the whole group

	Curves      []Curve       `json:"curves,omitempty"`      // cost against error on the test part
	Sweep       *Sweep        `json:"sweep,omitempty"`       // of the single threshold on the fit part; nil for chains
	Reliability []Reliability `json:"reliability,omitempty"` // per model and binning
	Matched     []Matched     `json:"matched,omitempty"`     // ours beside baselines of equal cost and of equal error
	Tests       []Test        `json:"tests,omitempty"`       // ours against the other rows
	Repeats     *Repeats      `json:"repeats,omitempty"`     // nil = one split

	Learned []Learned `json:"learned,omitempty"` // the baselines that learn, in the order of their rows
	Price   *Price    `json:"price,omitempty"`   // nil = the study gives errors no price
	Signals *Signals  `json:"signals,omitempty"` // what tells the student's right answers; nil = the study has no signals
}

// Counts says which records the numbers rest on.
type Counts struct {
	Records   int       `json:"records"`         // in the dataset as used
	Used      int       `json:"used"`            // answered by every model
	Fit       int       `json:"fit"`             // of Used
	Test      int       `json:"test"`            // of Used
	Shown     int       `json:"shown,omitempty"` // records left out before the split because prompts show them
	Missing   []Missing `json:"missing,omitempty"`
	Truncated []Missing `json:"truncated,omitempty"` // prompts cut to the context, per model
	Unseen    []Missing `json:"unseen,omitempty"`    // answers with label mass the server did not report
	Wide      []Missing `json:"wide,omitempty"`      // of these, whose confidence may be lower by more than WideBound
	Empty     []Missing `json:"empty,omitempty"`     // empty generations
	// generations that did not end by themselves, or of which nobody recorded how they ended
	Cut       []Cut       `json:"cut,omitempty"`
	Estimated []Estimated `json:"estimated,omitempty"` // answers whose cost rests on estimated tokens
	// classifications asked in another way than the model's LabelMode; the cause is the way
	Otherwise []Missing `json:"otherwise,omitempty"`

	LabelMass []LabelMass `json:"label_mass,omitempty"` // of the models whose classifications tell
	// per model, where the study says how answers are found in replies, or a rule has to read them
	Graded []Graded `json:"graded,omitempty"`
}

// Graded says how the answers of one model were found and judged. A reply without an answer and an answer that no rule
// could decide are wrong.
type Graded struct {
	Model     string    `json:"model"`
	Answers   int       `json:"answers"`   // replies
	Right     int       `json:"right"`     // of Answers
	None      int       `json:"none"`      // of Answers, those that state no answer
	Cut       int       `json:"cut"`       // of None, those cut at the limit on new tokens
	Undecided int       `json:"undecided"` // of Answers, those with an answer that no rule could decide
	By        []Decided `json:"by"`        // the rules, in the order in which they are asked
}

// Decided counts the answers that a rule decided.
type Decided struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
	Right int    `json:"right"` // of Count
}

// LabelMass says how much of a model's probability lies on the labels of its classifications. A confidence is one
// label's share of that. The mass of an answer is a number, two bounds, or not known at all where the scores were
// normalised over the labels.
type LabelMass struct {
	Model   string  `json:"model"`
	Answers int     `json:"answers"`
	Known   int     `json:"known"` // of Answers, whose mass is a number or bounded
	Low     float64 `json:"low"`   // mean lower bound of those known; equal to High where all are numbers
	High    float64 `json:"high"`
	Floor   float64 `json:"floor"` // of the study: less is little
	Below   int     `json:"below"` // of Known, those certainly below the floor
	Open    int     `json:"open"`  // of Known, those whose bounds hold the floor
}

// Estimated counts the used answers of one model whose tokens were not all
// reported, where costs are by tokens: what was not is estimated.
type Estimated struct {
	Model      string `json:"model"`
	Count      int    `json:"count"`      // of Answers: a part or all was not reported
	Prompt     int    `json:"prompt"`     // of Count: those of the prompt
	Completion int    `json:"completion"` // of Count: those of the answer
	Answers    int    `json:"answers"`    // of the model that are used
	Characters int    `json:"characters"` // taken for one token
}

// Cut counts the used generations of one model by how they ended.
type Cut struct {
	Model     string `json:"model"`
	Finish    string `json:"finish"`     // length, not said, the server's own word; empty = not recorded
	Count     int    `json:"count"`      // of Answers
	Answers   int    `json:"answers"`    // of the model that are used
	MaxTokens int    `json:"max_tokens"` // the limit
}

// WideBound is how far the bounds of a confidence may lie apart before its
// record is counted as one of which little is known.
const WideBound = 0.1

// Missing counts records of one model with one cause.
type Missing struct {
	Model string `json:"model"`
	Cause string `json:"cause,omitempty"`
	Count int    `json:"count"`
}

// Split says how records were divided, and what the division looks like.
type Split struct {
	Order    string   `json:"order"`    // "shuffle", "file", or the column that gives the split
	Fraction string   `json:"fraction"` // of the fit part, as written; of a given split the records
	Hash     string   `json:"hash"`     // of who did what
	Warnings []string `json:"warnings,omitempty"`
}

// Cost is what a model costs per query, on the fit part.
type Cost struct {
	Model string  `json:"model"`
	Value float64 `json:"value"`
	Mean  float64 `json:"mean"` // plain mean, whatever the summary

	Signature float64 `json:"signature,omitempty"` // by the published summary, where it is defined; 0 = it is not
}

// Budget is the error budget on the fit part.
type Budget struct {
	Target  string  `json:"target"`
	Errors  float64 `json:"errors"` // B
	Records int     `json:"records"`
}

// Row is one policy's line in the table, measured on the test part.
type Row struct {
	// stable identifier: none, all, random, oracle-router, single, multi, …
	Policy  string                    `json:"policy"`
	Title   string                    `json:"title"`   // as tables print it
	Metrics map[string]infer.Interval `json:"metrics"` // by metric name
	// error rate under the correctness rule: what policies control
	Error         infer.Interval `json:"error"`
	Deferred      infer.Interval `json:"deferred"`        // fraction asked of the master
	Asked         []Asked        `json:"asked,omitempty"` // chains: whom the row may ask, in this order
	Saved         infer.Interval `json:"saved_pct"`       // 100·(1 − cost/c_m), constants from the fit part
	SavedPerQuery infer.Interval `json:"saved_query_pct"` // the same from each record's own cost
	// "cascade": a query pays every model it asked; "router": one
	Charge    string    `json:"charge"`
	Baseline  bool      `json:"baseline"`          // not one of ours
	Certified bool      `json:"certified"`         // carries a finite-sample guarantee
	Promise   *Promise  `json:"promise,omitempty"` // what was tested, certified or not
	Compared  *Compared `json:"compared,omitempty"`
	Rival     *Rival    `json:"best_single,omitempty"` // of fitted thresholds
	Notes     []Note    `json:"notes,omitempty"`
}

// Asked is the fraction of queries asked of a model.
type Asked struct {
	Model string         `json:"model"`
	Share infer.Interval `json:"share"`
}

// Extra sets a chain beside the best pair it contains, both fitted to
// the same budget; the pair is chosen on the fit part.
type Extra struct {
	// the one the pair does without; of longer chains those, joined by " + "
	Model string `json:"model"`
	Pair  string `json:"pair"` // the pair's row
	// saving of the chain minus that of the pair, in percent of the master's cost
	Saved infer.Interval `json:"saved_pct_difference"`
	Error infer.Interval `json:"error_difference"` // error rate of the chain minus that of the pair
	Pays  string         `json:"pays"`             // "yes", "no" or "unclear": by the interval of Saved
}

// Promise is a finite-sample guarantee: what it would say, and on what it
// rests. It holds only where the row is Certified.
type Promise struct {
	Method    string  `json:"method"`              // "ltt" or "crc"
	PValue    string  `json:"p_value,omitempty"`   // ltt: the test, by its name in specs
	Level     float64 `json:"level"`               // error per record, or excess over the reference's
	Delta     float64 `json:"delta,omitempty"`     // probability that it is broken; 0 = holds on average
	Reference string  `json:"reference,omitempty"` // the model whose error it is relative to
	Proposed  int     `json:"proposed"`            // records of the fit part that propose thresholds
	Tested    int     `json:"tested"`              // records of the fit part that test them
	Clusters  int     `json:"clusters,omitempty"`  // their clusters; 0 = every record is one
	Largest   int     `json:"largest,omitempty"`   // the promise is about records of clusters of at most so many
}

// Compared sets a policy beside the exact one of its form on the fit part.
type Compared struct {
	With     string  `json:"with"`     // the row of the exact policy
	Errors   float64 `json:"errors"`   // on the fit part, expected where the policy tosses coins
	Deferred float64 `json:"deferred"` // likewise
	Exact    int     `json:"exact"`    // deferrals of the exact policy
	Met      bool    `json:"met"`      // the budget is met on the fit part

	// Objective cost: what the master costs on the deferred records of the fit
	// part, in the cost unit; 0 under another objective.
	Cost      float64 `json:"cost,omitempty"`
	ExactCost float64 `json:"exact_cost,omitempty"` // of the exact policy
}

// Policy is a fitted threshold policy.
type Policy struct {
	Policy      string      `json:"policy"` // the Row it belongs to
	Method      string      `json:"method"`
	Thresholds  []Threshold `json:"thresholds"` // one per class; one in all where classes share it
	Feasible    bool        `json:"feasible"`
	FitErrors   float64     `json:"fit_errors"`
	FitDeferred int         `json:"fit_deferred"`
	MinErrors   float64     `json:"min_errors"` // the least any thresholds achieve
	Budget      float64     `json:"budget"`     // errors it was fitted to, a promise's margin included
	// chains: mean cost of a query on the fit part, which they minimise
	FitCost     float64      `json:"fit_cost,omitempty"`
	FitAsked    []int        `json:"fit_asked,omitempty"`  // chains: records each model of the row answers on the fit part
	ErrorCost   float64      `json:"error_cost,omitempty"` // for which it loses least on the fit part; 0 = it was fitted to a budget
	Certificate *Certificate `json:"certificate,omitempty"`
}

// Threshold is a class's threshold, or a stage's; Theta is "inf" for defer always.
type Threshold struct {
	Model string `json:"model,omitempty"` // chains: whose confidence it is compared with
	Class string `json:"class,omitempty"`
	Theta Float  `json:"theta"`
}

// Certificate bounds how far thresholds are from optimal, in what they minimise: deferrals, or the cost of the deferred
// records in the cost unit; those of a chain in cost per query.
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

	LabelMass *LabelMass `json:"label_mass,omitempty"` // classification
	Graded    *Graded    `json:"graded,omitempty"`     // as of Counts
	Audit     *Audit     `json:"audit,omitempty"`      // where people graded some of what a judge grades
}

// Audit says how far a model's grades are right, by those answers of the test part that people graded too, taken as
// drawn at random.
type Audit struct {
	Records int `json:"records"` // of the test part
	Audited int `json:"audited"` // of these, by people

	// of the answers that the judge was asked about, the shares of right ones that it grades right, of wrong ones wrong;
	// nil = none was audited
	Sensitivity *infer.Interval `json:"sensitivity,omitempty"`
	Specificity *infer.Interval `json:"specificity,omitempty"`
	Correct     infer.Interval  `json:"correct"` // the share right, corrected (infer.Audit)
}

// Rising is the test whether a class's errors fall as the student's confidence rises, on the fit part: of the excess
// error e_s − e_m, which optimality of thresholds needs, and of e_s, which the paper assumes. A small p says they do
// not.
type Rising struct {
	Class       string  `json:"class,omitempty"`
	Records     int     `json:"records"`
	ExcessP     float64 `json:"excess_p"`
	ExcessHolm  float64 `json:"excess_holm"` // adjusted for all classes
	StudentP    float64 `json:"student_p"`
	StudentHolm float64 `json:"student_holm"`
}

// Sufficiency is the test, on the fit part, whether anything known at gating time tells more of "student wrong, master
// right" than the confidence. Holm and BH of its rows are adjusted over all rows of the study.
type Sufficiency struct {
	Records      int               `json:"records"`
	Folds        int               `json:"folds"`
	Method       string            `json:"method"`                 // pcm or plain
	Permutations int               `json:"permutations,omitempty"` // at most, per test; 0 with pcm
	Alpha        float64           `json:"alpha"`
	Smallest     float64           `json:"smallest,omitempty"` // the least p there can be; 0 with pcm: any
	Rows         []sufficiency.Row `json:"rows"`               // by set, then null
	Notes        []Note            `json:"notes,omitempty"`
}
