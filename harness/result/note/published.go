package note

// Caveats of a comparison with a published table. Each names what the study
// has (Ours) and what was published.

// Absent: the study has no cascade of these models on the dataset.
type Absent struct{ Student, Master, Dataset string }

// OtherModels: the answers are other models'.
type OtherModels struct{ Ours, Published []string }

// OtherRows: the rows are another source's.
type OtherRows struct{ Ours, Published string }

// OtherLimit: the number of records differs.
type OtherLimit struct{ Ours, Published int } // 0 = all

// OtherSplit: the split differs.
type OtherSplit struct{ Ours, Published SplitRule }

// SplitRule is the share of the fit part, and the order before the split.
type SplitRule struct {
	Fit   float64
	Order string
}

// GroupedSplit: records with the same value of the column share a part.
type GroupedSplit struct{ Column string }

// OtherTask: the task differs.
type OtherTask struct{ Ours, Published string }

// OtherDirection: the direction of the translation differs, such as "de-en".
type OtherDirection struct{ Ours, Published string }

// OtherTokens: the limit of new tokens differs.
type OtherTokens struct{ Ours, Published int }

// OtherRule: an answer is right by another rule.
type OtherRule struct {
	Ours      string
	Tau       float64 // 0 = the rule has none
	Published string
	Least     string // τ as published
	Embedder  string // as published
}

// OtherCosine: the rule's cosine is another embedder's.
type OtherCosine struct{ Ours, Published string }

// Misprint: the printed saving of the row None contradicts that of the random row.
type Misprint struct{ Printed, Implied string }

// TextDirection: the paper's text names another direction than its numbers have.
type TextDirection struct{ Text, Program string }

// NoRow: the study has no row of the policy.
type NoRow struct{ Policy string }

// OtherCharge: the row is charged in another way.
type OtherCharge struct{ Ours, Published string }

// OneDraw: the published row is one draw, ours the expectation.
type OneDraw struct{}

// OtherQuality: the router learned from another comparison of the answers.
type OtherQuality struct {
	Ours      Quality
	Published string
}

// Quality is what makes one answer better than another.
type Quality string

// The qualities.
const (
	IsRight Quality = "right"
	TokenF1 Quality = "token-f1"
	StandIn Quality = "stand-in" // of a scorer that is not the study's
)

// OtherLearner: another learner than the published encoder.
type OtherLearner struct{ Published string }

// Untested: the study has no test of this, or one that could not be made.
type Untested struct{ State string } // "" = none

// OtherEmbedder: the inputs are embedded by another embedder.
type OtherEmbedder struct{ Ours, Published string }

// OtherTest: the test differs.
type OtherTest struct {
	Published    float64 // shuffles
	Method       string
	Permutations int // at most
	Splits       int // of the projected covariance measure
}

// Undecided: the regression of Δ on β does not fit.
type Undecided struct{}

func (Absent) Kind() Kind         { return "absent" }
func (OtherModels) Kind() Kind    { return "models" }
func (OtherRows) Kind() Kind      { return "rows" }
func (OtherLimit) Kind() Kind     { return "limit" }
func (OtherSplit) Kind() Kind     { return "split" }
func (GroupedSplit) Kind() Kind   { return "groups" }
func (OtherTask) Kind() Kind      { return "task" }
func (OtherDirection) Kind() Kind { return "direction" }
func (OtherTokens) Kind() Kind    { return "tokens" }
func (OtherRule) Kind() Kind      { return "rule" }
func (OtherCosine) Kind() Kind    { return "embedder" }
func (Misprint) Kind() Kind       { return "misprint" }
func (TextDirection) Kind() Kind  { return "text" }
func (NoRow) Kind() Kind          { return "absent" }
func (OtherCharge) Kind() Kind    { return "charging" }
func (OneDraw) Kind() Kind        { return "draw" }
func (OtherQuality) Kind() Kind   { return "quality" }
func (OtherLearner) Kind() Kind   { return "learner" }
func (Untested) Kind() Kind       { return "absent" }
func (OtherEmbedder) Kind() Kind  { return "embeddings" }
func (OtherTest) Kind() Kind      { return "permutations" }
func (Undecided) Kind() Kind      { return "fit" }
