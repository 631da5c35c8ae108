// Package tidy writes a study's records as flat tables for other tools: one
// row per record and model, one row per record and policy, in Parquet and in
// CSV. It owns the columns, their meaning (the data dictionary is made from the
// same struct tags as the files) and the two encodings; it refuses to round,
// to aggregate and to leave out. Its opinion: a missing value is null, never
// zero and never a special number.
package tidy

import (
	"fmt"
	"math"
	"strings"
)

// Row is what can be written.
type Row interface {
	AnswerRow | DecisionRow
	schema() string // name of the schema in a Parquet file
}

func (AnswerRow) schema() string   { return "Answer" }
func (DecisionRow) schema() string { return "Decision" }

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
	Rouge1           *float64 `parquet:"rouge_1" metric:"rouge-1" doc:"unigram F of the answer, in [0,1]"`
	Rouge2           *float64 `parquet:"rouge_2" metric:"rouge-2" doc:"bigram F of the answer, in [0,1]"`
	RougeL           *float64 `parquet:"rouge_l" metric:"rouge-l" doc:"ROUGE-L F, best reference, in [0,1]"`
	RougeLFirst      *float64 `parquet:"rouge_l_first" metric:"rouge-l-first" doc:"ROUGE-L F, first reference, in [0,1]"`
	Cosine           *float64 `parquet:"cosine" metric:"cosine" doc:"cosine of embeddings, best reference, in [-1,1]"`
	CosineFirst      *float64 `parquet:"cosine_first" metric:"cosine-first" doc:"cosine of embeddings, first reference, in [-1,1]"`
	BARTScore        *float64 `parquet:"bartscore" metric:"bartscore" doc:"mean log-probability of the answer given a reference, by the study's scorer, best reference, at most 0"`
	ExactMatch       *float64 `parquet:"exact_match" metric:"exact-match" doc:"1 if equal to a reference after normalisation, else 0"`
	TokenF1          *float64 `parquet:"token_f1" metric:"token-f1" doc:"token F1, best reference, in [0,1]"`
	BLEU             *float64 `parquet:"bleu" metric:"bleu" doc:"BLEU of this answer alone, in [0,100]; a table's BLEU is not its mean"`
	ChrF             *float64 `parquet:"chrf" metric:"chrf" doc:"chrF2 of this answer alone, in [0,100]; a table's chrF is not its mean"`
}

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

// SetScore sets the column of a per-record metric. A metric without a column
// is an error, so that no score is lost in silence.
func (a *AnswerRow) SetScore(metric string, v float64) error {
	for _, c := range columnsOf[AnswerRow]() {
		if c.metric == metric && metric != "" {
			c.field(a).Set(pointer(Known(v)))
			return nil
		}
	}
	return fmt.Errorf("no column for the scores of metric %q: want one of %s", metric, strings.Join(scoreNames(), ", "))
}
