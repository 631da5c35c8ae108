package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"infnet/harness/decide"
	"infnet/harness/fault"
	"infnet/harness/regular"
	"infnet/harness/routing"
	"infnet/harness/routing/export"
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

// decideCommand answers over HTTP what route answers over files.
type decideCommand struct {
	File     string   `arg:"" name:"thresholds" help:"A thresholds file: of infnet fit -o, or a run's policies.toml."`
	Listen   string   `help:"Address and port, of this machine alone. Port 0 is one that is free." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	Public   bool     `help:"Listen at an address that other machines reach. Needs --key-file."`
	KeyFile  string   `help:"File of the key that requests must bear: Authorization: Bearer KEY. Default: none is asked for." placeholder:"FILE"`
	Label    []string `help:"A label of the student's classification, in class order; once for each. Default: the classes that have a threshold." placeholder:"TEXT" sep:"none"`
	Served   string   `help:"The student's name in its replies. Default: its name on the hub." placeholder:"NAME"`
	Question string   `help:"The question of a decision model's replies. Default: the only one." placeholder:"NAME"`
	answerFlags
	policyFlags
}

// Run decides until it is stopped, which is how it ends well.
func (c *decideCommand) Run(ctx context.Context, s *streams) error {
	rule, err := routing.Load(c.File, c.options())
	if err != nil {
		return err
	}
	o := decide.Options{Labels: c.Label, Served: c.Served, Question: c.Question, Fields: c.fields(routing.Options{})}
	if c.KeyFile != "" {
		text, err := regular.ReadFile(c.KeyFile)
		if err != nil {
			return fault.Usage.Wrap(fmt.Errorf("cannot read the key: %w", err))
		}
		if o.Key = strings.TrimSpace(string(text)); o.Key == "" {
			return fault.Usage.Wrap(fmt.Errorf("%s holds no key: write one line", c.KeyFile))
		}
	}
	d, err := decide.New(rule, o)
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	return decide.Serve(ctx, d, c.Listen, c.Public, func(address string) {
		fmt.Fprintf(s.out, "POST to http://%s/decide; policy %s. Ctrl-C ends it.\n", address, rule.Hash)
	})
}

// policyFlags choose a policy of a thresholds file, and how it is applied.
type policyFlags struct {
	Policy      string `help:"Which policy of the file. Default: the only one." placeholder:"NAME"`
	Calibrated  bool   `help:"The confidences are calibrated already: do not apply the file's calibration."`
	Uncertified bool   `help:"Apply thresholds whose guarantee was asked for and could not be given."`
}

func (f policyFlags) options() routing.Options {
	return routing.Options{Policy: f.Policy, Calibrated: f.Calibrated, Uncertified: f.Uncertified}
}

// exportPolicyCommand writes fitted thresholds in the words of a program that applies them.
type exportPolicyCommand struct {
	File string        `arg:"" name:"thresholds" help:"A thresholds file: of infnet fit -o, or a run's policies.toml."`
	To   export.Target `required:"" help:"The target: python or cel." placeholder:"TARGET"`
	policyFlags
}

func (c *exportPolicyCommand) Run(_ context.Context, s *streams) error {
	r, err := routing.Load(c.File, c.options())
	if err != nil {
		return err
	}
	text, err := export.Write(r, c.To)
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	_, err = fmt.Fprint(s.out, text)
	return err
}
