package analyze

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// said is one record of the study by hand: the truth, and what either model
// said. Classes are red (r) and blue (b).
type said struct {
	truth, student byte
	beta           float64
	master         byte
}

// byHand is the study by hand. The first ten records fit, in file order. The
// student errs there on 3, 7, 9 and 10, the master on 4 and 10, so that the
// target "best" allows B = 2 errors.
var byHand = []said{
	{'r', 'r', .95, 'r'}, {'r', 'r', .90, 'r'}, {'b', 'r', .85, 'b'}, {'r', 'r', .80, 'b'}, {'r', 'r', .70, 'r'},
	{'b', 'b', .95, 'b'}, {'r', 'b', .75, 'r'}, {'b', 'b', .70, 'b'}, {'b', 'r', .60, 'b'}, {'r', 'b', .55, 'b'},
	// Test part: the student errs on 12, 16 and 18, the master on 17 and 18.
	{'r', 'r', .90, 'r'}, {'b', 'r', .75, 'b'}, {'r', 'r', .65, 'r'}, {'b', 'b', .97, 'b'}, {'b', 'b', .60, 'b'},
	{'r', 'b', .90, 'r'}, {'r', 'r', .85, 'b'}, {'b', 'r', .80, 'r'}, {'b', 'b', .96, 'b'}, {'r', 'r', .72, 'r'},
}

// handTOML is the spec around it. Prices make a token of the prompt cost 1
// and the answer 2; the master costs ten times as much.
const handTOML = `
study = "by-hand"
seed  = 1
split = { fit = 0.5, order = "file" }
cost  = { model = "price" }

[[models]]
name      = "student"
backend   = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }
price_in  = 1_000_000
price_out = 2_000_000

[[models]]
name      = "master"
backend   = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }
price_in  = 10_000_000
price_out = 20_000_000

[[datasets]]
name   = "colours"
source = "file:colours.csv"
task   = "classification"
labels = ["red", "blue"]
prompt = "Item {item}:"

[[cascades]]
models = ["student", "master"]

[[baselines]]
kind = "random"
[[baselines]]
kind = "random"
rng  = "numpy:42"
`

// load reads a spec whose one dataset is colours.csv. A tenth of the usual resamples are
// enough to see that an interval is there.
func load(t *testing.T, text string) *spec.Study {
	t.Helper()
	s, err := spec.LoadFS(fstest.MapFS{
		"study.toml": {Data: []byte(text)}, "colours.csv": {Data: []byte("item\n1\n")},
	}, "study.toml", spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Report.Bootstrap /= 10
	return s
}

// colours are the classes that records may have, by their first letters but for
// black, which is k.
const colours = "rbgwk"

// class is the index of a class.
func class(c byte) int { return strings.IndexByte(colours, c) }

// prompted is the length of record i's prompt (from 1): 7 and 9 in turn in the
// fit part, so that an answer of the student costs 10 there on average; 18 in
// the first half of the test part and 8 in the second.
func prompted(i int) int {
	switch {
	case i > 15:
		return 8
	case i > 10:
		return 18
	}
	return 9 - 2*(i%2)
}

// handInput fills a store with the answers of the student and the master.
func handInput(t *testing.T, s *spec.Study, records []said, omit func(model string, record int) string,
	change ...func(model string, record int, a *backends.Answer)) Input {
	t.Helper()
	var truth []byte
	for _, r := range records {
		truth = append(truth, r.truth)
	}
	return inputOf(t, s, truth, func(model string, i int) (byte, float64) {
		if model == "master" {
			return records[i].master, .9
		}
		return records[i].student, records[i].beta
	}, omit, change...)
}

// emptyInput is a study on examples that nobody answered.
func emptyInput(t *testing.T, s *spec.Study, examples []dataset.Example) Input {
	t.Helper()
	set, err := dataset.New("colours", examples)
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := question.New(&s.Datasets[0], set)
	if err != nil {
		t.Fatal(err)
	}
	return Input{Program: "infnet test", Input: records.Input{Study: s, Facts: map[string]records.Facts{},
		Sheets: map[string]*question.Sheet{"colours": sheet}, Sources: map[string]string{"colours": "0123"},
		Store: store.Open(t.TempDir(), store.Options{})}}
}

// inputOf fills a store with answers: the answer of a model to record i (from 0)
// and how sure it is. omit says why a model has
// no answer to a record: a cause is recorded as a failure, records.NotCollected is
// left out. What change makes of an answer is stored.
func inputOf(t *testing.T, s *spec.Study, truth []byte, says func(model string, i int) (byte, float64),
	omit func(model string, record int) string, change ...func(model string, record int, a *backends.Answer)) Input {
	t.Helper()
	var examples []dataset.Example
	for i, c := range truth {
		examples = append(examples, dataset.Example{
			ID: fmt.Sprint(i + 1), Row: i + 1, Class: class(c), Fields: map[string]string{"item": fmt.Sprint(i + 1)},
		})
	}
	in := emptyInput(t, s, examples)
	sheet := in.Sheets["colours"]
	for _, m := range s.Models {
		in.Facts[m.Name] = records.Facts{ID: m.Config.Model}
		w, err := in.Store.WriteAnswers(store.ID{Model: m.Config.Model, Dataset: "0123", Name: "colours"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range truth {
			word, beta := says(m.Name, i)
			c := class(word)
			request := sheet.Request(i, m.Config.Model, &m)
			answer := backends.Answer{
				Key: request.Key(), Text: request.Labels[c], Labels: make([]backends.LabelScore, len(request.Labels)),
				Usage: backends.Usage{Prompt: backends.Counted(prompted(i + 1)), Completion: backends.Counted(1)},
			}
			for k := range answer.Labels {
				answer.Labels[k] = backends.LabelScore{Logprob: math.Log((1 - beta) / float64(len(answer.Labels)-1)), Seen: true}
			}
			answer.Labels[c] = backends.LabelScore{Logprob: math.Log(beta), Seen: true}
			for _, f := range change {
				f(m.Name, i+1, &answer)
			}
			cause := ""
			if omit != nil {
				cause = omit(m.Name, i+1)
			}
			switch cause {
			case "":
				_, err = w.Append([]store.Record{{Example: fmt.Sprint(i + 1), Answer: answer}})
			case records.NotCollected:
			default:
				err = w.Fail([]store.Failed{{Key: answer.Key, Example: fmt.Sprint(i + 1),
					Failure: backends.Failure{Cause: backends.Cause(cause), Message: "no"}}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// analysed runs the analysis of one cascade on one dataset.
func analysed(t *testing.T, in Input) (*Output, result.Dataset) {
	t.Helper()
	out, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out, out.Result.Cascades[0].Datasets[0]
}

// row returns a row of the table by its identifier.
func rowNamed(t *testing.T, d result.Dataset, name string) result.Row {
	t.Helper()
	for _, r := range d.Rows {
		if r.Policy == name {
			return r
		}
	}
	t.Fatalf("there is no row %q", name)
	return result.Row{}
}

// near compares to within rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) && got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// thetas returns the thresholds of a fitted policy.
func thetas(t *testing.T, d result.Dataset, name string) []float64 {
	t.Helper()
	for _, p := range d.Policies {
		if p.Policy == name {
			var list []float64
			for _, theta := range p.Thresholds {
				list = append(list, float64(theta.Theta))
			}
			return list
		}
	}
	t.Fatalf("there is no policy %q", name)
	return nil
}
