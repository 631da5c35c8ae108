package dataset

import (
	"slices"
	"strings"
)

// FileKind is what a file is: it decides what the name of a column means.
type FileKind int

const (
	DataFile  FileKind = iota // examples: a text or a question, and what is right
	Questions                 // the same, beside recorded answers
	Log                       // what a student and a master came to, a row a query
	Recording                 // models' answers
)

// Role is what a column of a file is.
type Role string

// Names are the names by which a column of a role is recognised in a kind of file, best first; nil = such files have
// none. A name has one meaning in a kind of file. Two have another one elsewhere: "score" is the confidence in a log,
// which has no grades beside "student" and "master", and the grade in a recording; "text", "answer" and "prediction"
// are what a model said in a recording, and the query, what is right and the student's class elsewhere.
func Names(kind FileKind, role Role) []string {
	for _, n := range names {
		if n.role == role {
			return n.of(kind)
		}
	}
	panic("dataset: no role " + role)
}

var (
	ids        = list("id query_id record_id sample_id question_id example_id uid uuid guid _id idx index")
	references = list("reference references gold gold_label truth ground_truth expected correct_answer target")
)

type named struct {
	role                            Role
	data, questions, log, recording []string
}

func (n named) of(kind FileKind) []string {
	return [...][]string{DataFile: n.data, Questions: n.questions, Log: n.log, Recording: n.recording}[kind]
}

var names = []named{
	{"id", ids, ids, ids, ids},
	{"query", list("text sentence review content body message tweet document article comment description"),
		list("prompt question query text input origin_query"), list("text prompt question query input"), nil},
	{"question", list("question query"), nil, nil, nil},
	{"context", list("context passage paragraph story"), nil, nil, nil},
	{"reference", list("answers.text answers answer.text answer answer.value response"),
		append(references, "answer", "answers", "label"), append(references, "answer"), references},
	{"label", list("label labels class category target sentiment topic emotion intent y"), nil, nil,
		list("label predicted_label pred_label")},
	{"from", list("source src source_text"), nil, nil, nil},
	{"to", list("target tgt target_text translation"), nil, nil, nil},
	{"part", nil, list("split part"), nil, nil},

	{"group", nil, nil, list("group cluster source"), nil},
	{"student", nil, nil,
		list("student student_correct student_right student_answer student_prediction student_class"), nil},
	{"master", nil, nil, list("master master_correct master_right master_answer master_prediction master_class"), nil},
	{"class", nil, nil, list("class label prediction student_class student_prediction"), nil},
	{"student cost", nil, nil, list("student_cost cost_student"), nil},
	{"master cost", nil, nil, list("master_cost cost_master"), nil},
	{"confidence", nil, nil, list("confidence beta student_confidence student_score score"), list("confidence beta")},

	{"model", nil, nil, nil, list("model model_name model_id")},
	{"text", nil, nil, nil, list("text answer response output prediction model_response generation")},
	{"correct", nil, nil, nil, list("correct is_correct right acc exact_match")},
	{"score", nil, nil, nil, list("score grade reward performance")},
	{"probs", nil, nil, nil, list("probs probabilities label_probs")},
	{"logprob", nil, nil, nil, list("logprob log_prob logprob_sum")},
	{"token_logprobs", nil, nil, nil, list("token_logprobs")},
	{"cost", nil, nil, nil, list("cost_usd cost total_cost price")},
	{"currency", nil, nil, nil, list("currency")},
	{"latency_ms", nil, nil, nil, list("latency_ms")},
	{"latency", nil, nil, nil, list("latency latency_s time_s seconds")},
	{"prompt_tokens", nil, nil, nil, list("prompt_tokens input_tokens")},
	{"completion_tokens", nil, nil, nil, list("completion_tokens output_tokens")},
	{"cached_tokens", nil, nil, nil, list("cached_tokens")},
	{"reasoning_tokens", nil, nil, nil, list("reasoning_tokens")},
	{"finish_reason", nil, nil, nil, list("finish_reason stop_reason")},
}

// Roles are those that columns of a kind of file have, sorted.
func Roles(kind FileKind) (out []string) {
	for _, n := range names {
		if n.of(kind) != nil {
			out = append(out, string(n.role))
		}
	}
	slices.Sort(out)
	return out
}

func list(words string) []string { return slices.Clip(strings.Fields(words)) }

// Find returns the first column that has one of the names, in whatever case, and no other use; "" = there is none.
func Find(columns []string, names []string, taken ...string) string {
	for _, name := range names {
		for _, c := range columns {
			if strings.EqualFold(c, name) && !slices.Contains(taken, c) {
				return c
			}
		}
	}
	return ""
}

// ColumnType is the type of a column's values.
type ColumnType string

const (
	Text    ColumnType = "text"
	Integer ColumnType = "integer"
	Number  ColumnType = "number"
	Boolean ColumnType = "boolean"
	Mixed   ColumnType = "mixed" // of several types
	Null    ColumnType = "null"  // only nulls were seen
)

// Column describes a column of a source, from its first rows. A nested value gives one Column for each of its leaves.
type Column struct {
	Path     string     // what a mapping calls it; "answers.text" for a leaf
	Type     ColumnType // of its values, or of the elements of its lists
	List     bool       // some row holds a list of values
	Values   int        // values seen that are not null
	Distinct int        // different ones among them
	Nulls    int        // rows without a value
	Longest  int        // characters of the longest value
	Samples  []string   // the first different values, at most 5
}
