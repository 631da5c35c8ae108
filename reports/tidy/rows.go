// Package tidy writes a study's records as flat tables for other tools: one row per record and model, one row per
// record and policy, in Parquet and in CSV. It owns the columns, their meaning (the data dictionary is made from the
// same struct tags as the files) and the two encodings; it refuses to round, to aggregate and to leave out. Its
// opinion: a missing value is null, never zero and never a special number.
package tidy

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"infnet/metrics"
)

// Row is what can be written.
type Row interface {
	AnswerRow | DecisionRow
	schema() string // name of the schema in a Parquet file
	score(metrics.Name) *float64
}

func (AnswerRow) schema() string   { return "Answer" }
func (DecisionRow) schema() string { return "Decision" }

func (r AnswerRow) score(name metrics.Name) *float64 {
	if v, ok := r.Scores[name]; ok {
		return Known(v)
	}
	return nil
}

func (DecisionRow) score(metrics.Name) *float64 { return nil }

// AnswerRow is what one model of one cascade made of one record. Pointers are nil
// where there is nothing to tell: no answer, no classes, no such metric.
type AnswerRow struct {
	Study            string   `parquet:"study,dict" doc:"name of the study"`
	Cascade          string   `parquet:"cascade,dict" doc:"name of the cascade"`
	Dataset          string   `parquet:"dataset,dict" doc:"name of the dataset"`
	Record           string   `parquet:"record" doc:"the record's id, unique within the dataset"`
	SourceRow        int64    `parquet:"source_row" doc:"where the record stands in the dataset's source, from 1"`
	Group            *string  `parquet:"record_group" doc:"records of one group share a source and stay together in splits and resamples; null: a group of its own"`
	Part             string   `parquet:"part,dict" doc:"fit (policies are fitted on it), test (tables are measured on it) or unused (a model of the cascade has no answer)"`
	Model            string   `parquet:"model,dict" doc:"name of the model"`
	Role             string   `parquet:"role,dict" doc:"student (the cheapest), master (the last) or middle"`
	Position         int32    `parquet:"position" doc:"the model's place in the cascade, from 0, cheapest first"`
	Key              string   `parquet:"key" doc:"key of the answer in the answer store"`
	Failure          *string  `parquet:"failure,dict" doc:"why there is no answer, or why it does not count; null: answered"`
	ClassPredicted   *string  `parquet:"class_predicted,dict" doc:"the class the model chose; classification only"`
	ClassReference   *string  `parquet:"class_reference,dict" doc:"the right class; classification only"`
	Text             *string  `parquet:"text" doc:"what the model said"`
	References       []string `parquet:"accepted_answers,list" doc:"accepted answers, the first is the primary one; a list in Parquet, a JSON array in CSV; empty for classification"`
	Beta             *float64 `parquet:"beta" unit:"probability" doc:"confidence in the answer, in [0,1]; the student's after calibration"`
	BetaLow          *float64 `parquet:"beta_low" unit:"probability" doc:"lower bound of the confidence before calibration, below it only where the server did not report all label probabilities"`
	BetaHigh         *float64 `parquet:"beta_high" unit:"probability" doc:"upper bound of the confidence before calibration"`
	Votes            *string  `parquet:"votes" doc:"of a model whose samples vote: how many gave each answer, in the order in which the answers came, as in 3 1 1; null where it is asked once, or no sample states an answer"`
	LabelMassLow     *float64 `parquet:"label_mass_low" unit:"probability" doc:"classification: lower bound of the model's probability on the labels together, of which beta is one label's share; null where nobody knows it"`
	LabelMassHigh    *float64 `parquet:"label_mass_high" unit:"probability" doc:"upper bound of the same; equal where the mass was measured"`
	Correct          *bool    `parquet:"correct" doc:"right under the dataset's correctness rule"`
	Error            *float64 `parquet:"error" doc:"error in [0,1] under the correctness rule: 0 or 1 unless the study grades softly"`
	Cost             *float64 `parquet:"cost" unit:"the study's cost unit" doc:"cost of this answer"`
	PromptTokens     *int64   `parquet:"prompt_tokens" unit:"tokens" doc:"length of the prompt as the model saw it"`
	CompletionTokens *int64   `parquet:"completion_tokens" unit:"tokens" doc:"length of the answer; 1 for a classification"`
	TokensEstimated  *string  `parquet:"tokens_estimated,dict" doc:"which of the two counts nobody reported, so that it is an estimate by characters: prompt, completion or both; null: both were reported"`
	TruncatedTokens  *int64   `parquet:"truncated_tokens" unit:"tokens" doc:"prompt tokens cut off to fit the model's context"`
	Finish           *string  `parquet:"finish" doc:"generation: why it ended: end (the model's own end, or a stop), length (cut at max_tokens), not said, or the server's own word; null where nobody recorded it"`
	LatencySeconds   *float64 `parquet:"latency_s" unit:"seconds" doc:"measured time of this answer"`
	Scores           Scores   `parquet:"-"`
}

// Scores are per-record metrics, each a column; one that is missing or NaN is null.
type Scores map[metrics.Name]float64

// DecisionRow is what one policy did with one record.
type DecisionRow struct {
	Study        string   `parquet:"study,dict" doc:"name of the study"`
	Cascade      string   `parquet:"cascade,dict" doc:"name of the cascade"`
	Dataset      string   `parquet:"dataset,dict" doc:"name of the dataset"`
	Record       string   `parquet:"record" doc:"the record's id, unique within the dataset"`
	Part         string   `parquet:"part,dict" doc:"fit (policies are fitted on it) or test (tables are measured on it)"`
	Policy       string   `parquet:"policy,dict" doc:"identifier of the policy, as policy_id in the CSV tables"`
	Deferred     bool     `parquet:"deferred" doc:"the master was asked"`
	Beta         *float64 `parquet:"beta" unit:"probability" doc:"the student's confidence, after calibration"`
	Score        *float64 `parquet:"score" unit:"probability" doc:"what a learned policy compared with the threshold in place of beta, on the fit part by a fit that did not see the record; null: the policy has no score of its own"`
	Threshold    *float64 `parquet:"threshold" unit:"probability" doc:"what beta or the score was compared with; the record is deferred where it is below; infinite: the class is always deferred; null: the policy has no thresholds"`
	FinalModel   string   `parquet:"final_model,dict" doc:"name of the model whose answer stands"`
	FinalCorrect *bool    `parquet:"final_correct" doc:"the answer that stands is right under the correctness rule"`
	FinalError   *float64 `parquet:"final_error" doc:"its error in [0,1]"`
	Cost         *float64 `parquet:"cost" unit:"the study's cost unit" doc:"what the record cost under this policy: every model asked, or one where the policy is charged as a router"`
}

// Known returns a pointer to v, or nil where v is NaN.
func Known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Some returns a pointer to v, or nil where v is empty.
func Some(v string) *string {
	if v == "" {
		return nil
	}
	return &v
}

// Role names the place of model i of n.
func Role(i, n int) string {
	switch i {
	case 0:
		return "student"
	case n - 1:
		return "master"
	}
	return "middle"
}

type column struct {
	index  int          // of the field; -1 = a metric
	metric metrics.Name // "" = a field
	name   string
	unit   string
	doc    string
	kind   reflect.Type
	flat   reflect.StructField // the column in the struct that Parquet sees
}

// columnsOf lists a row's columns in order. Scores becomes a column for each per-record metric.
func columnsOf[R Row]() []column {
	t := reflect.TypeFor[R]()
	var columns []column
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[Scores]() {
			columns = append(columns, scoreColumns()...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		columns = append(columns, column{index: i, name: name, unit: f.Tag.Get("unit"), doc: f.Tag.Get("doc"), kind: f.Type,
			flat: f})
	}
	return columns
}

// firstScores are the metrics whose columns readers of the files know the order of. A later metric's column follows
// them.
var firstScores = []metrics.Name{
	metrics.Rouge1, metrics.Rouge2, metrics.RougeL, metrics.RougeLFirst, metrics.Cosine, metrics.CosineFirst,
	metrics.BARTScore, metrics.ExactMatch, metrics.TokenF1, metrics.BLEU, metrics.ChrF,
}

func scoreColumns() (columns []column) {
	place := func(m metrics.Metric) uint { return uint(slices.Index(firstScores, m.Name)) } // of none: the last
	all := slices.DeleteFunc(metrics.All(), func(m metrics.Metric) bool { return m.PerRecord == "" })
	slices.SortStableFunc(all, func(a, b metrics.Metric) int { return cmp.Compare(place(a), place(b)) })
	number := reflect.TypeFor[*float64]()
	for _, m := range all {
		name := strings.ReplaceAll(string(m.Name), "-", "_")
		columns = append(columns, column{
			index: -1, metric: m.Name, name: name, doc: m.PerRecord, kind: number,
			flat: reflect.StructField{Name: "Score_" + name, Type: number,
				Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", name))},
		})
	}
	return columns
}

func of[R Row](c column, row *R) reflect.Value {
	if c.metric != "" {
		return reflect.ValueOf((*row).score(c.metric))
	}
	return reflect.ValueOf(row).Elem().Field(c.index)
}

// Dictionary is the data dictionary of both tables, in Markdown: every column
// with its type, unit, meaning, and whether it may be null.
func Dictionary() string {
	var b strings.Builder
	b.WriteString(`# Data dictionary

Both tables are written as Parquet and as CSV with the same columns in the same
order. Rows come in the order of the cascades, the datasets and the records.

Missing values are null in Parquet and empty in CSV. CSV files are UTF-8, quoted
as RFC 4180 says, with lines ending in LF; infinities are inf and -inf; texts
may hold line breaks. Text that a spreadsheet would take for a formula gets a
leading apostrophe in CSV, and NUL characters are left out there; Parquet holds
every text as it is. Texts come from models and datasets: escape them before
you show them.
`)
	b.WriteString("\n## answers: one row per record and model\n\n")
	describe(&b, columnsOf[AnswerRow]())
	b.WriteString("\n## decisions: one row per record and policy\n\n")
	describe(&b, columnsOf[DecisionRow]())
	return b.String()
}

func describe(b *strings.Builder, columns []column) {
	b.WriteString("| Column | Type | Unit | Null | Meaning |\n|:--|:--|:--|:--|:--|\n")
	for _, c := range columns {
		null := "no"
		kind := c.kind
		if kind.Kind() == reflect.Pointer {
			null, kind = "yes", kind.Elem()
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", c.name, typeNames[kind.Kind()], cmp.Or(c.unit, "-"), null, c.doc)
	}
}

// typeNames are the types as readers of either format know them.
var typeNames = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "double",
	reflect.Int32: "int32", reflect.Int64: "int64", reflect.Slice: "list of strings",
}
