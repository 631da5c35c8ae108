package cli

import (
	"context"
	"fmt"
	"strings"

	"infnet/harness/decide"
	"infnet/harness/fault"
	"infnet/harness/regular"
	"infnet/harness/routing"
)

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
	if further := rule.Further(); further != "" {
		fmt.Fprintf(s.err, "infnet: %s\n", further)
	}
	return decide.Serve(ctx, d, c.Listen, c.Public, func(address string) {
		fmt.Fprintf(s.out, "POST to http://%s/decide; policy %s. Ctrl-C ends it.\n", address, rule.Hash)
	})
}
