package backends

import "infnet/harness/choice"

// ReplayConfig opens a model whose answers were recorded elsewhere.
type ReplayConfig struct {
	Source  string     // the file they come from, for messages
	Answers Recordings // by request; a Failure in one says why it cannot be used
}

// Recordings are recorded answers by request. There may be more than memory holds, so reading one
// can fail.
type Recordings interface {
	Len() int
	Answer(Key) (a Answer, ok bool, err error)
}

// AnswersFormat is how a file holds recorded answers.
type AnswersFormat string

const (
	AnswersAuto    AnswersFormat = "auto"    // by the file's content
	AnswersTable   AnswersFormat = "table"   // one row per answer: JSONL, CSV, TSV or Parquet
	AnswersLMEval  AnswersFormat = "lm-eval" // samples of the Language Model Evaluation Harness (--log_samples)
	AnswersInspect AnswersFormat = "inspect" // an Inspect evaluation log, .eval or JSON

	AnswersEvalEver    AnswersFormat = "every-eval-ever" // instances of Every Eval Ever, a JSON object a line
	AnswersRouterBench AnswersFormat = "llmrouterbench"  // a result of LLMRouterBench, one JSON object with records
)

// NoColumn stands for a column of a table that is not to be read, whatever its usual name is.
const NoColumn = "\x00none"

// AnswersFormats lists the valid formats.
func AnswersFormats() []AnswersFormat {
	return []AnswersFormat{AnswersAuto, AnswersTable, AnswersLMEval, AnswersInspect, AnswersEvalEver, AnswersRouterBench}
}

func (f *AnswersFormat) UnmarshalText(b []byte) error {
	return choice.Decode(f, b, "format of answers", AnswersFormats())
}
