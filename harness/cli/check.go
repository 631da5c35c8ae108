package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// checkCommand checks specs.
type checkCommand struct {
	Specs []string `arg:"" name:"spec" help:"TOML files of studies."`
	Limit int      `help:"As in run." placeholder:"N"`
	overrideFlags
	screenFlags
}

func (c *checkCommand) Run(ctx context.Context, s *streams) error {
	var problems []error
	for _, name := range c.Specs {
		f := &studyFlags{Spec: name, askedFlags: askedFlags{Limit: c.Limit, Store: "runs/answers", overrideFlags: c.overrideFlags, screenFlags: c.screenFlags}}
		st, err := f.open(ctx, s, byName)
		if err == nil {
			err = fault.Spec.Wrap(st.checkModels())
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			problems = append(problems, err)
			continue
		}
		if !c.Quiet {
			fmt.Fprintf(s.out, "%s: ok: %d models, %d datasets, %d cascades%s\n", name, len(st.spec.Models), len(st.spec.Datasets), len(st.spec.Cascades), unseen(st.away))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &wrongSpecs{problems}
}

// wrongSpecs is what is wrong with several studies. It is of the kind of the
// first.
type wrongSpecs struct{ errs []error }

func (w *wrongSpecs) Error() string { return errors.Join(w.errs...).Error() }
func (w *wrongSpecs) Unwrap() error { return w.errs[0] }

// unseen names what a check did not look at.
func unseen(list []away) string {
	if len(list) == 0 {
		return ""
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.what
	}
	return "; on the hub, and not looked at: " + strings.Join(names, ", ")
}

// checkModels finds the mistakes of a spec that only the folders of its models
// show.
func (st *study) checkModels() error { return errors.Join(st.checkLabels(), st.checkCosts()) }

// checkCosts makes sure that the cost of every local model can be summarised
// as the spec asks; of other models the spec itself says enough.
func (st *study) checkCosts() error {
	if st.spec.Cost.Summary != cost.Signature {
		return nil
	}
	var problems []error
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		facts := st.facts[m.Name]
		if facts == nil || m.Params > 0 {
			continue
		}
		if p := facts.Shape().Params; p < 1 {
			problems = append(problems, fmt.Errorf("%s: cost.summary = \"signature\": model %s has %.3g billion parameters, and the signature is undefined below one billion, where its factor turns negative: use summary = \"mean\" or \"median\"", st.spec.File, m.Name, p))
		}
	}
	return errors.Join(problems...)
}

// checkLabels makes sure, before any model is asked, that every local model
// tells the labels of every classification apart by their first token.
func (st *study) checkLabels() error {
	var problems []error
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		facts := st.facts[m.Name]
		if facts == nil || m.Mode != backends.Raw {
			continue
		}
		for _, d := range st.spec.Datasets {
			if d.Task != task.Classification || !st.asked(m.Name, d.Name) || st.sheets[d.Name] == nil {
				continue
			}
			prompt := st.sheets[d.Name].Request(0, st.models[m.Name].ID, m).Prompt
			if err := facts.CheckLabels(prompt, d.Continuations()); err != nil {
				problems = append(problems, st.spec.At(spec.OfDatasets, d.Name, fmt.Errorf("dataset %s, model %s: %w", d.Name, m.Name, err), "", "labels"))
			}
		}
	}
	return errors.Join(problems...)
}

// indent puts two spaces before every line.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
