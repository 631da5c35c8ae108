package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"infnet/harness/pipeline"
	"infnet/harness/spec"
)

// checkCommand checks specs.
type checkCommand struct {
	Specs []string `arg:"" name:"spec" help:"TOML files of studies."`
	Limit rowLimit `help:"As in run." placeholder:"N"`
	overrideFlags
	screenFlags
}

func (c *checkCommand) Run(ctx context.Context, s *streams) error {
	var problems []error
	for _, name := range c.Specs {
		f := &studyFlags{Spec: name, askedFlags: askedFlags{Limit: c.Limit, Store: "runs/answers",
			overrideFlags: c.overrideFlags, screenFlags: c.screenFlags}}
		st, err := f.open(ctx, s, pipeline.Hub{Access: pipeline.NamesOnly})
		if err == nil {
			err = st.Check()
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			problems = append(problems, err)
			continue
		}
		if !c.Quiet {
			fmt.Fprintf(s.out, "%s: ok: %d models, %d datasets, %d cascades%s\n", name, len(st.Models), len(st.Datasets),
				len(st.Spec.Cascades), unseen(st.Missing()))
			showReach(s.out, st.Spec.Reach())
		}
	}
	return errors.Join(problems...)
}

// unseen names what was not checked.
func unseen(list []pipeline.Missing) string {
	if len(list) == 0 {
		return ""
	}
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.What
	}
	return "; on the hub, and not looked at: " + strings.Join(names, ", ")
}

// showReach says what a study may do on this machine beyond asking models: nothing for one that stays within its
// folder and this process.
func showReach(w io.Writer, r spec.Reach) {
	for _, p := range r.Programs {
		prose(w, "  It starts a program: %s", clean(p))
	}
	for _, f := range r.Files {
		prose(w, "  It reads a file outside its folder: %s", clean(f))
	}
	for _, to := range r.Sends {
		with := ""
		if len(to.Variables) > 0 {
			with = ", with the value of " + strings.Join(to.Variables, ", ")
		}
		prose(w, "  It talks to %s%s", clean(to.Host), clean(with))
	}
}
