package note

// Caveats of a whole table.

// NoEnsembles: the study asks for ensembles, and the task has no classes.
type NoEnsembles struct{ Task string }

// Copies: rows of the source left out before the split, since an earlier row
// has their text.
type Copies struct{ Rows int }

// PartialSource: the hub exports only the beginning of the split.
type PartialSource struct{}

// Untrained: a baseline that learns has no row, since the fit part has fewer
// units (groups, and records without one) than folds.
type Untrained struct {
	Baseline     string // its title
	Units, Folds int
}

// NoCurve: policies, by title, that have no curve, since the student costs as
// much as the master.
type NoCurve struct{ Policies []string }

// Padding: costs are those of padded batches of so many queries.
type Padding struct{ Batch int }

// NearZero: hardly any model is ever right.
type NearZero struct{ Right }

// Chance: no model is right more often than the most frequent class.
type Chance struct {
	Right
	Majority float64 // test records of the class most frequent in the fit part
}

// Right says on how many test records each model is right.
type Right struct {
	Models  []string
	Right   []float64 // by model; no whole number where errors are soft
	Records int       // of the test part
}

// Responders: models that answered under more than one name.
type Responders struct{ Models []Names }

// Names are the names under which a model answered.
type Names struct {
	Model string
	Names []Counted
}

// Unconfirmed: models of which it is not certain who answers.
type Unconfirmed struct{ Models []Doubtful }

// Doubtful is a model and why it is not certain who answers.
type Doubtful struct{ Model, Why string }

// Hidden: models whose answers say nothing of probabilities but 1 for what was said.
type Hidden struct{ Models []Share }

// Share is how many of a model's answers something is true of.
type Share struct {
	Model     string
	Count, Of int
}

// BatchPrices: models whose prices are lower for answers from batch files, or that have such answers.
type BatchPrices struct {
	Counted bool // the study counts the discount
	Models  []BatchPrice
}

// BatchPrice says how many of a model's answers came in batch files.
type BatchPrice struct {
	Model       string
	Batched, Of int
	Discount    float64 // share taken off their price; 0 = none is stated
}

// TwoModels: baselines, by title, that have no rows in a chain's table.
type TwoModels struct{ Baselines []string }

// EmbedderReplaced: another embedder than the study's.
type EmbedderReplaced struct{ Model, For string }

// ScorerReplaced: another scorer than the study's.
type ScorerReplaced struct{ Model, For string }

// ScorerLeftOut: answers are not scored, though the study names a scorer.
type ScorerLeftOut struct{ For string }

// DerivedStats: output statistics that are functions of β are left out of J.
type DerivedStats struct{}

// Embeddings: whose embeddings J has.
type Embeddings struct {
	Embedder string
	Lexical  bool // the built-in embedder of hashed n-grams
}

// TooFewPermutations: so many permutations cannot give a p-value of Alpha.
type TooFewPermutations struct {
	Permutations int
	Alpha        float64
}

// Drift: fit and test part do not look like draws from one source.
type Drift struct {
	What      string // differs
	Fit, Test int    // records
	P         float64
	By        string     // the test
	Level     float64    // share of such tests that warn by chance
	InFile    bool       // the split keeps the file's order
	Column    string     // that says which part a record is in; "" = none does
	Models    int        // whose errors are compared, and that P is adjusted for; 0 = it is not about errors
	Rates     [2]float64 // of errors in the fit and the test part, in percent
}

// Form is whether the threshold form loses anything.
type Form struct {
	Classes int
	Least   float64 // smallest adjusted p-value
	Rising  []RisingClass
	Price   *FormPrice // nil = not measured
}

// RisingClass is a class whose excess error rises with the confidence.
type RisingClass struct {
	Class string
	P     float64 // adjusted
}

// FormPrice is what is deferred with and without thresholds, in percent of the
// fit part.
type FormPrice struct {
	Met           bool // the budget, both with and without
	With, Without float64
	Loss          float64 // the difference in percentage points
}

func (NoEnsembles) Kind() Kind        { return "ensembles" }
func (Copies) Kind() Kind             { return "copies" }
func (PartialSource) Kind() Kind      { return "source" }
func (Untrained) Kind() Kind          { return "untrained" }
func (NoCurve) Kind() Kind            { return "no-curve" }
func (Padding) Kind() Kind            { return "padding" }
func (NearZero) Kind() Kind           { return "near-zero" }
func (Chance) Kind() Kind             { return "chance" }
func (Responders) Kind() Kind         { return "responders" }
func (Unconfirmed) Kind() Kind        { return "unconfirmed" }
func (Hidden) Kind() Kind             { return "hidden" }
func (BatchPrices) Kind() Kind        { return "batch-prices" }
func (TwoModels) Kind() Kind          { return "two-models" }
func (EmbedderReplaced) Kind() Kind   { return "stand-in-embedder" }
func (ScorerReplaced) Kind() Kind     { return "stand-in-scorer" }
func (ScorerLeftOut) Kind() Kind      { return "stand-in-scorer" }
func (DerivedStats) Kind() Kind       { return "output-stats" }
func (Embeddings) Kind() Kind         { return "embeddings" }
func (Drift) Kind() Kind              { return "split" }
func (Form) Kind() Kind               { return "form" }
func (TooFewPermutations) Kind() Kind { return "permutations" }
