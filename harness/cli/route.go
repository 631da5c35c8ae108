package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"infnet/harness/routing"
)

// routeCommand applies fitted thresholds to answers.
type routeCommand struct {
	File    string `arg:"" name:"thresholds" help:"A thresholds file: of infnet fit -o, or a run's policies.toml."`
	Answers string `arg:"" optional:"" help:"Answers, one a row: .jsonl, .csv, .tsv (all also .gz) or .parquet. Default: standard input, JSON objects or cells under a header."`
	answerFlags
	policyFlags
}

// answerFlags name the fields of an answer, and what else decides.
type answerFlags struct {
	ID         string `help:"Field of the query's id. Default: id, query_id or record_id, where there is one." placeholder:"F"`
	Confidence string `help:"Field of the student's confidence in [0,1], read as the thresholds file says. Default: as in infnet fit: confidence, beta or score." placeholder:"F"`
	Class      string `help:"Field of the class the student chose, for a threshold per class. Default: as in infnet fit: class, label or prediction." placeholder:"F"`
	Seed       uint64 `help:"Seed of a mixture's random decisions: a query's depends on it and the id alone." default:"42"`
}

// fields adds the flags to options.
func (f answerFlags) fields(o routing.Options) routing.Options {
	o.ID, o.Confidence, o.Class, o.Seed = f.ID, f.Confidence, f.Class, f.Seed
	return o
}

func (c *routeCommand) Run(ctx context.Context, s *streams) error {
	out := bufio.NewWriter(s.out)
	encoder := json.NewEncoder(inJSON{out})
	encoder.SetEscapeHTML(false)
	r, err := routing.Open(c.File, c.fields(c.options()), func(d routing.Decision) error { return encoder.Encode(d) },
		func(text string) { fmt.Fprintf(s.err, "infnet: %s\n", text) })
	if err != nil {
		return err
	}
	if c.Answers != "" {
		err = r.File(ctx, c.Answers)
	} else {
		err = r.Stream(ctx, flushing{s.in, out})
	}
	return errors.Join(err, out.Flush())
}

// flushing flushes the decisions before it waits for more answers.
type flushing struct {
	in  io.Reader
	out *bufio.Writer
}

func (f flushing) Read(p []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, err
	}
	return f.in.Read(p)
}
