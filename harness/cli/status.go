package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/slurm"
)

// statusCommand says how far a submitted study is.
type statusCommand struct{ studyFlags }

func (c *statusCommand) Run(ctx context.Context, s *streams) error {
	st, err := c.open(ctx, s, pipeline.Hub{Access: pipeline.Optional, Why: asksNobody})
	if err != nil {
		return err
	}
	left, err := st.Plan(ctx, pipeline.PlanOptions{Quick: true})
	st.screen.wait()
	if err != nil {
		return err
	}
	showPlan(s.out, left)
	jobs, err := slurm.Jobs(slurmFolder(st.Out()))
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		fmt.Fprintln(s.out, "No job was submitted: infnet slurm submit does.")
		return nil
	}
	var newest []slurm.Job // the last one of each model, and the last analysis
	for i, j := range jobs {
		if !slices.ContainsFunc(jobs[i+1:], func(later slurm.Job) bool { return later.Model == j.Model }) {
			newest = append(newest, j)
		}
	}
	states, err := slurm.States(ctx, newest)
	if err != nil {
		fmt.Fprintln(s.out, "The states of the jobs are not known:", err)
		return nil
	}
	lines := [][]string{{"MODEL", "SHARD", "JOB", "STATE", "TIME", "NODE"}}
	for _, state := range states {
		lines = append(lines, stateLine(state))
	}
	fmt.Fprintln(s.out)
	printColumns(s.out, lines)
	showFailed(s.out, states)
	return nil
}

func stateLine(st slurm.State) []string {
	word := st.Word
	if !st.Live && st.Code > 0 {
		word += fmt.Sprintf(" (exit code %d)", st.Code)
	}
	name, shard, number := cmp.Or(st.Job.Model, "analysis"), "", st.Job.ID
	if st.Shard > 0 {
		shard, number = fmt.Sprintf("%d/%d", st.Shard, st.Job.Of), fmt.Sprintf("%s_%d", number, st.Shard)
	}
	return []string{name, shard, number, word, st.Elapsed, st.Where}
}

// showFailed names the logs of jobs that ended badly.
func showFailed(w io.Writer, states []slurm.State) {
	for _, st := range states {
		if st.Live || st.Word == "COMPLETED" || st.Word == "ENDED" && st.Code == 0 {
			continue
		}
		path := st.Job.LogOf(st.Shard)
		if _, err := os.Stat(path); err != nil {
			prose(w, "No log %s: the job was ended before it began, or its node does not share this folder.\n", path)
		} else {
			fmt.Fprintf(w, "See %s\n", path)
		}
	}
}

// cancelCommand cancels the jobs of a study, and no others.
type cancelCommand struct {
	studyFlags
}

func (c *cancelCommand) Run(ctx context.Context, s *streams) error {
	loaded, err := c.load()
	if err != nil {
		return err
	}
	out := cmp.Or(c.Out, runFolder(loaded))
	jobs, err := slurm.Jobs(slurmFolder(out))
	if err == nil && len(jobs) == 0 {
		return fault.Usage.Wrap(fmt.Errorf("the study %s has no jobs: %s does not exist; --out names the folder it was "+
			"submitted with", loaded.Name, slurm.JobsFile(slurmFolder(out))))
	}
	if err != nil {
		return err
	}
	states, err := slurm.States(ctx, jobs)
	if err != nil {
		return fmt.Errorf("cancel the jobs of the study %s: %w", loaded.Name, err)
	}
	for _, j := range jobs {
		if !slices.ContainsFunc(states, func(s slurm.State) bool { return s.Job.ID == j.ID && s.Live }) {
			continue
		}
		if err := slurm.Cancel(ctx, j); err != nil {
			return fmt.Errorf("cancel job %s: %w", j.ID, err)
		}
		fmt.Fprintf(s.out, "job %s is cancelled: %s\n", j.ID, cmp.Or(clean(j.Model), "the analysis"))
	}
	fmt.Fprintln(s.out, "What they collected stays; infnet slurm submit goes on from there.")
	return nil
}
