//go:build ignore

// Command join joins the answers that five systems gave to the questions of
// SQuAD 1.1's development set, and writes what a study without a single call
// needs:
//
//	student.jsonl  id, text, confidence: Match-LSTM, an ensemble of 2016
//	master.jsonl   id, text: BERT, an ensemble of 2018
//	answers.csv    id, confidence, student, master (1 = exact match): for infnet fit
//
// The student's confidence is how much the other three cheaper systems agree
// with it: the mean token-F1 of its answer with theirs (a disagreement is a
// reason to ask). BERT has no say in it.
//
// Run it from the repository's root:
//
//	go run experiments/squad-systems/join.go -data "$INFNET_DATA" -out runs/squad-systems-answers
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infnet/metrics"
)

// The systems, by the beginning of their names in the file.
const (
	student = "Match-LSTM"
	master  = "BERT"
)

var others = []string{"Logistic Regression", "r-net+", "SLQA+"}

type question struct {
	ID      string   `json:"id"`
	Answers []string `json:"answers"`
}

type predictions struct {
	ID          string            `json:"id"`
	Predictions map[string]string `json:"predictions"`
}

type answer struct {
	ID         string   `json:"id"`
	Text       string   `json:"text"`
	Confidence *float64 `json:"confidence,omitempty"`
}

func main() {
	data := flag.String("data", os.Getenv("INFNET_DATA"), "folder of squad.jsonl.gz and squad_systems.jsonl.gz")
	out := flag.String("out", "runs/squad-systems-answers", "folder to write")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		fmt.Fprintln(os.Stderr, "join:", err)
		os.Exit(1)
	}
}

func run(data, out string) error {
	if data == "" {
		return errors.New("no folder of data: set INFNET_DATA, or say -data FOLDER")
	}
	references := map[string][]string{}
	err := read(filepath.Join(data, "squad.jsonl.gz"), func(q question) error {
		references[q.ID] = q.Answers
		return nil
	})
	if err != nil {
		return err
	}
	var cheap, dear []answer
	table := [][]string{{"id", "confidence", "student", "master"}}
	err = read(filepath.Join(data, "squad_systems.jsonl.gz"), func(p predictions) error {
		refs, ok := references[p.ID]
		if !ok {
			return nil
		}
		said, err := p.of(append([]string{student, master}, others...))
		if err != nil {
			return err
		}
		beta := 0.0
		for _, text := range said[2:] {
			beta += metrics.ScoreTokenF1(said[0], []string{text})
		}
		beta /= float64(len(others))
		cheap = append(cheap, answer{p.ID, said[0], &beta})
		dear = append(dear, answer{p.ID, said[1], nil})
		table = append(table, []string{p.ID, strconv.FormatFloat(beta, 'g', -1, 64),
			strconv.Itoa(int(metrics.ScoreExactMatch(said[0], refs))),
			strconv.Itoa(int(metrics.ScoreExactMatch(said[1], refs)))})
		return nil
	})
	if err != nil {
		return err
	}
	if len(cheap) == 0 {
		return errors.New("no question is in both files")
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if err := errors.Join(writeJSON(filepath.Join(out, "student.jsonl"), cheap),
		writeJSON(filepath.Join(out, "master.jsonl"), dear),
		write(filepath.Join(out, "answers.csv"),
			func(w io.Writer) error { return csv.NewWriter(w).WriteAll(table) })); err != nil {
		return err
	}
	fmt.Printf("%d of %d questions have all systems' answers; written to %s\n", len(cheap), len(references), out)
	return nil
}

// of returns the answers of the systems whose names begin like this.
func (p predictions) of(systems []string) ([]string, error) {
	var out []string
	for _, s := range systems {
		var found []string
		for name := range p.Predictions {
			if strings.HasPrefix(name, s) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		if len(found) != 1 {
			return nil, fmt.Errorf("question %s: %d systems begin with %q: %q", p.ID, len(found), s, found)
		}
		out = append(out, p.Predictions[found[0]])
	}
	return out, nil
}

// read hands every line of a gzip JSONL file to use.
func read[T any](path string, use func(T) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for d, n := json.NewDecoder(bufio.NewReader(z)), 1; ; n++ {
		var row T
		if err := d.Decode(&row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		if err := use(row); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
	}
}

func writeJSON(path string, rows []answer) error {
	return write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		for _, r := range rows {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func write(path string, fill func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(fill(w), w.Flush(), f.Close())
}
