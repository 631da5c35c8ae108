package result

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"infnet/harness/fault"
	"infnet/harness/regular"
)

// Record is one record of one cascade: one line of records.jsonl, and all that show and export print. It is complete by
// itself, so that neither needs the spec, the data or the answers.
type Record struct {
	Cascade string `json:"cascade"`
	Dataset string `json:"dataset"`
	ID      string `json:"id"`
	Row     int    `json:"row"`   // in the source, from 1
	Group   string `json:"group"` // records of one group stay together; "" = alone
	// of the fields and the references, hexadecimal: what the record is, whatever its id, class and prompt are
	Content    string         `json:"content,omitempty"`
	Part       string         `json:"part"` // PartFit, PartTest or PartUnused
	Prompt     string         `json:"prompt"`
	Class      string         `json:"class,omitempty"`      // classification: the reference
	References []string       `json:"references,omitempty"` // other tasks: accepted answers
	Models     []RecordAnswer `json:"models"`               // cheapest first
	Decisions  []Decision     `json:"decisions"`            // by row of the table
}

// The parts a record can be in.
const (
	PartFit    = "fit"
	PartTest   = "test"
	PartUnused = "unused" // some model has no answer
)

// RecordAnswer is what one model answered and what that is worth.
type RecordAnswer struct {
	Model      string `json:"model"`
	Key        string `json:"key"`                   // of the answer in the store; of samples a hash of theirs
	Cause      string `json:"cause,omitempty"`       // why there is no answer; then the rest is empty
	Refused    string `json:"refused,omitempty"`     // why the answer does not count; then it is worth nothing
	AnsweredBy string `json:"answered_by,omitempty"` // the name of who answered, in the server's reply
	Text       string `json:"text"`
	// where the study says how answers are found: the text of the model, and the bytes of it that hold the answer
	Reply    string        `json:"reply,omitempty"`
	At       []int         `json:"answer_at,omitempty"`
	By       string        `json:"decided_by,omitempty"` // the rule that decided; empty = there is one rule, or none could
	Judge    *float64      `json:"judge_beta,omitempty"` // the judge's confidence in its grade; nil = it was not asked
	Human    *bool         `json:"human,omitempty"`      // what a person says of it: is it right; nil = nobody was asked
	Class    string        `json:"class,omitempty"`
	Probs    []Float       `json:"probs,omitempty"`  // per label, in index order
	Tokens   []RecordToken `json:"tokens,omitempty"` // generation
	Equal    int           `json:"equal,omitzero"`   // so many tokens are all like the one in Tokens
	Beta     float64       `json:"beta"`             // after calibration, but for the last model's
	BetaLow  float64       `json:"beta_low"`         // bounds, where label mass is missing
	BetaHigh float64       `json:"beta_high"`
	// labels the server did not report: beta is the upper end of its bounds
	Unseen int `json:"unseen,omitzero"`
	// of samples: the votes of each answer, in the order in which they came; what is missing stated none
	Votes []int `json:"votes,omitempty"`
	// classification: bounds of the probability on the labels, equal where it is known; absent where nothing is known
	LabelMass []Float `json:"label_mass,omitempty"`
	Correct   bool    `json:"correct"`
	Error     float64 `json:"error"`
	Cost      float64 `json:"cost"`
	Prompted  int     `json:"prompt_tokens"`
	Completed int     `json:"completion_tokens"`
	Thought   int     `json:"thought_tokens,omitzero"` // of them, those of thoughts, where the server counts them
	// which of the two counts nobody reported: prompt, completion or both
	Estimated   string           `json:"tokens_estimated,omitempty"`
	Finish      string           `json:"finish,omitempty"`   // generation: why it ended; empty = not recorded
	Truncated   int              `json:"truncated,omitzero"` // prompt tokens dropped
	LatencySecs float64          `json:"latency_s"`
	Scores      map[string]Float `json:"scores,omitempty"` // per-record metrics
}

// Voted writes the votes: "3 1 1"; "" = the model was asked once, or no sample states an answer.
func (a *RecordAnswer) Voted() string { return strings.Trim(fmt.Sprint(a.Votes), "[]") }

// RecordToken is one generated token.
type RecordToken struct {
	Text    string `json:"t"`
	Logprob Float  `json:"lp"`
	End     bool   `json:"end,omitzero"`
}

// Decision is what a policy decided about the record.
type Decision struct {
	Policy   string `json:"policy"`
	Deferred bool   `json:"deferred"`
	Theta    *Float `json:"theta,omitzero"` // the threshold compared with, for policies that have one
	// what is compared with it, where that is not the first model's β; out of fold on the fit part
	Score *float64 `json:"score,omitzero"`

	// Of rows of more than two models, or of models in parallel. Where Asked is empty the first model is asked and its
	// answer is final unless Deferred, and then the last one's is.
	Asked  []int   `json:"asked,omitempty"`  // places of the models in the cascade, from 0
	Stage  int     `json:"stage,omitzero"`   // place of the model whose answer is final
	Thetas []Float `json:"thetas,omitempty"` // chains: the threshold of every stage
}

// ResultsFile and RecordsFile are what a run's folder calls the results and the records.
const (
	ResultsFile = "results.json"
	RecordsFile = "records.jsonl"
)

// ReadFolder reads the results of the run in a folder. It refuses versions it does not know.
func ReadFolder(dir string) (*Results, error) {
	s, err := Read(filepath.Join(dir, ResultsFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = notRun(dir, ResultsFile)
	}
	return s, fault.Data.Wrap(err)
}

// Records reads the records of the run in a folder, one by one. An error ends them.
func Records(dir string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		path := filepath.Join(dir, RecordsFile)
		file, err := regular.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = notRun(dir, RecordsFile)
		}
		if err != nil {
			yield(Record{}, fault.Data.Wrap(err))
			return
		}
		defer file.Close()
		decoder := jsontext.NewDecoder(bufio.NewReader(file))
		for n := 1; ; n++ {
			var r Record
			if err := json.UnmarshalDecode(decoder, &r); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(r, fault.Data.Wrap(fmt.Errorf("%s: record %d: %w; run analyze again", path, n, err)))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

func notRun(dir, file string) error {
	return fmt.Errorf("%s has no %s: run the study first", dir, file)
}

// Kind names a kind of caveat, for programs. Several caveats on one subject share a kind.
type Kind string

// Note is a caveat.
type Note struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// the records it is about, of how many; 0 = it counts none
	Count int `json:"count,omitempty"`
	Of    int `json:"of,omitempty"`
}
