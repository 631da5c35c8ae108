package cli

import (
	"context"
	"fmt"

	"infnet/harness/fault"
	"infnet/harness/routing"
	"infnet/harness/routing/export"
)

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
	File     string        `arg:"" name:"thresholds" help:"A thresholds file: of infnet fit -o, or a run's policies.toml."`
	To       export.Target `required:"" help:"The target: vercel, airflow, semantic-router, python, go, javascript or cel." placeholder:"TARGET"`
	Question string        `help:"vercel: the question whose confidence is compared. Default: every Choice and Score question." placeholder:"NAME"`
	Master   string        `help:"vercel: what the gateway calls the master. Default: its name on the hub." placeholder:"MODEL"`
	policyFlags
}

func (c *exportPolicyCommand) Run(_ context.Context, s *streams) error {
	if c.To != export.Vercel && c.Question+c.Master != "" {
		return fault.Usage.Wrap(fmt.Errorf("--question and --master belong to --to vercel, and not to %s: leave them out",
			c.To))
	}
	r, err := routing.Load(c.File, c.options())
	if err != nil {
		return err
	}
	x, err := export.Write(r, c.To, export.Options{Question: c.Question, Master: c.Master})
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	for _, note := range x.Notes {
		fmt.Fprintf(s.err, "infnet: %s\n", note)
	}
	_, err = fmt.Fprint(s.out, x.Text)
	return err
}
