package cli

import (
	"context"
	"fmt"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/slurm"
)

// cancelCommand cancels the jobs of a study, and no others.
type cancelCommand struct {
	studyFlags
}

func (c *cancelCommand) Run(ctx context.Context, s *streams) error {
	loaded, err := c.load()
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = runFolder(loaded)
	}
	jobs, err := slurm.Jobs(slurmFolder(out))
	if err == nil && len(jobs) == 0 {
		return fault.Usage.Wrap(fmt.Errorf("the study %s has no jobs: %s does not exist; --out names the folder it was "+
			"submitted with", loaded.Name, slurm.JobsFile(slurmFolder(out))))
	}
	if err != nil {
		return err
	}
	states, _, err := slurm.States(ctx, jobs)
	if err != nil {
		return fmt.Errorf("cancel the jobs of the study %s: %w", loaded.Name, err)
	}
	live, told := map[string]bool{}, 0
	for _, st := range states {
		live[st.Job.ID] = live[st.Job.ID] || st.Live
	}
	for _, j := range jobs {
		if !live[j.ID] {
			continue
		}
		if err := slurm.Cancel(ctx, j); err != nil {
			return fmt.Errorf("cancel job %s: %w", j.ID, err)
		}
		what := "the analysis"
		if j.Model != "" {
			what = "the shards of " + clean(j.Model)
		}
		fmt.Fprintf(s.out, "job %s is cancelled: %s\n", j.ID, what)
		told++
	}
	if told == 0 {
		fmt.Fprintf(s.out, "Nothing to cancel: none of the study's jobs is queued or runs (%s).\n",
			strings.Join(ids(jobs), ", "))
		return nil
	}
	fmt.Fprintln(s.out, "What they collected stays; infnet slurm submit goes on from there.")
	return nil
}

func ids(jobs []slurm.Job) (list []string) {
	for _, j := range jobs {
		list = append(list, j.ID)
	}
	return list
}
