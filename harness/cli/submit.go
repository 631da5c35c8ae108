package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
	"infnet/harness/slurm"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// submitCommand hands a study to a cluster.
type submitCommand struct {
	studyFlags
	DryRun      bool `help:"Print the job scripts; write and submit nothing."`
	RetryFailed bool `help:"Ask again for what failed in an earlier run."`
}

// slurmCommand runs studies on a cluster.
type slurmCommand struct {
	Submit submitCommand `cmd:"" help:"Submit a study: an array of shards per model, and the analysis after them."`
	Status statusCommand `cmd:"" help:"Say how far a study is: answers by model and shard, and its jobs."`
	Cancel cancelCommand `cmd:"" help:"Cancel the jobs of a study, and no others."`
}

// slurmFolder is where a run's job scripts and logs are.
func slurmFolder(out string) string { return filepath.Join(out, folder.Slurm) }

func (c *submitCommand) Run(ctx context.Context, s *streams) error {
	hub := pipeline.Hub{Access: pipeline.Download}
	if c.DryRun {
		hub = pipeline.Hub{Access: pipeline.Optional, Why: asksNobody}
	}
	st, err := c.open(ctx, s, hub)
	if err != nil {
		return err
	}
	if err := st.Check(); err != nil {
		return err
	}
	sub, err := c.submission(st)
	if err != nil {
		return err
	}
	if !c.DryRun {
		if err := notTwice(ctx, sub.Folder); err != nil {
			return err
		}
	}
	return c.submit(ctx, s, st, sub)
}

// submission is what the scripts of all jobs have in common.
func (c *submitCommand) submission(st *study) (*slurm.Submission, error) {
	var err error
	abs := func(path string) string {
		out, aerr := filepath.Abs(path)
		if aerr != nil {
			err = aerr
		}
		return out
	}
	sub := &slurm.Submission{Study: st.Spec.Name, Token: slurm.Token(), Cluster: st.Spec.Cluster(),
		Folder: slurmFolder(abs(st.Out())), Work: abs(".")}
	sub.Probe = filepath.Join(abs(st.Store()), ".submitted-"+sub.Token)
	var perr error
	if sub.Program, perr = os.Executable(); perr != nil {
		return nil, fmt.Errorf("find this program: %w", perr)
	}
	name := c.Spec
	if _, serr := os.Stat(name); serr == nil {
		name = abs(name)
	}
	sub.Flags = []string{name, "--store", abs(st.Store()), "--out", abs(st.Out())}
	for _, use := range c.Use {
		sub.Flags = append(sub.Flags, "--use", abs(use))
	}
	for _, role := range slices.Sorted(maps.Keys(c.ModelOverride)) {
		sub.Flags = append(sub.Flags, "--model-override", role+"="+c.ModelOverride[role])
	}
	if c.Limit != 0 {
		sub.Flags = append(sub.Flags, fmt.Sprintf("--limit=%d", c.Limit))
	}
	if c.Target != "" {
		sub.Flags = append(sub.Flags, "--target="+c.Target)
	}
	if c.RetryFailed {
		sub.Collect = append(sub.Collect, "--retry-failed")
	}
	sub.Export = variables(st.Spec)
	if err == nil {
		err = sub.Check()
	}
	return sub, fault.Usage.Wrap(err)
}

// usual are the environment variables that programs need on any node: their own, and those of shared installations.
var usual = []string{"HOME", "PATH", "USER", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "HF_HOME",
	"HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
	"no_proxy", "BASH_ENV", "MODULEPATH", "MODULESHOME", "LMOD_CMD", "LMOD_PKG"}

// variables lists the variables that jobs get, by name: those that are set here.
func variables(s *spec.Study) (names []string) {
	for _, name := range slices.Concat(usual, s.Env) {
		if _, set := os.LookupEnv(name); set && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{"NONE"} // without names sbatch would export everything
	}
	return names
}

// submit submits all shards of the models that have something to do, and the job after them.
func (c *submitCommand) submit(ctx context.Context, s *streams, st *study, sub *slurm.Submission) error {
	left, err := st.Plan(ctx, pipeline.PlanOptions{RetryFailed: c.RetryFailed, Quick: true})
	st.screen.wait()
	if err != nil {
		return err
	}
	b := &submitter{streams: s, sub: sub, dry: c.DryRun, ctx: ctx}
	if !c.DryRun {
		if err := b.prepare(); err != nil {
			return err
		}
	}
	var asked, last, inside []string
	for _, w := range st.Works(left) { // those of texts come last
		switch {
		case w.Texts && (!w.Apart || asked == nil && w.Missing == 0):
			inside = append(inside, w.Model)
			continue
		case !w.Texts && w.Missing == 0 && !w.Unknown:
			continue
		}
		t := slurm.Task{Model: w.Model, Of: sub.Cluster.Shards, GPUs: w.GPUs}
		if n := sub.Cluster.GPUs; n != nil {
			t.GPUs = *n
		}
		for k := range t.Of {
			t.Shards = append(t.Shards, k+1)
		}
		if w.Texts {
			t.After = asked
		}
		id, err := b.hand(slurm.Job{Name: sub.Name(t.Model), Model: t.Model, Tasks: t.Shards, Of: t.Of,
			Log: sub.Log(t.Model, t.Of)}, sub.Script(t),
			fmt.Sprintf("%s: %s (%s missing)", clean(t.Model), counted(t.Of, "shard"), counted(w.Missing, "request")))
		if err != nil {
			return err
		}
		last = append(last, id)
		if !w.Texts {
			asked = append(asked, id)
		}
	}
	if asked == nil {
		fmt.Fprintln(s.err, "No answer is missing: only what follows from the answers is submitted.")
	}
	if _, err := b.hand(slurm.Job{Name: sub.Name(""), Log: sub.Log("", 0)}, sub.Last(inside, last),
		"the analysis"); err != nil {
		return err
	}
	if !c.DryRun {
		fmt.Fprintf(s.out, "Scripts and logs are in %s. infnet slurm status %s shows how far they are.\n", sub.Folder, c.Spec)
	}
	return nil
}

// submitter submits the jobs of one submission.
type submitter struct {
	*streams
	ctx  context.Context
	sub  *slurm.Submission
	dry  bool
	jobs []slurm.Job
}

// prepare makes the folders and the file that nodes look for.
func (b *submitter) prepare() error {
	if _, err := slurm.Find("sbatch"); err != nil {
		return fault.Usage.Wrap(err)
	}
	if err := os.MkdirAll(b.sub.Folder, 0o777); err != nil {
		return fault.Store.Wrap(err)
	}
	return elsewhere(store.WriteFile(b.sub.Probe,
		[]byte("a job of infnet slurm submit looks here whether its node sees the store\n")), "--store")
}

// hand submits a script, or shows it.
func (b *submitter) hand(j slurm.Job, script, what string) (id string, err error) {
	if b.dry {
		fmt.Fprintf(b.out, "# ---- %s\n%s\n", what, script)
		b.jobs = append(b.jobs, j)
		return fmt.Sprintf("JOB%d", len(b.jobs)), nil
	}
	path := filepath.Join(b.sub.Folder, fmt.Sprintf("%d-%s.sh", len(b.jobs)+1, j.Name))
	if err := store.WriteFile(path, []byte(script)); err != nil {
		return "", err
	}
	if j.ID, err = slurm.Submit(b.ctx, path); err != nil {
		return "", fmt.Errorf("submit %s: %w; the script is %s, and [slurm] says what it asks for; infnet slurm "+
			"cancel ends what was submitted before", what, err, path)
	}
	b.jobs = append(b.jobs, j)
	fmt.Fprintf(b.out, "job %s  %s\n", j.ID, what)
	return j.ID, fault.Store.Wrap(slurm.Remember(b.sub.Folder, j))
}

// notTwice refuses a submission while jobs of an earlier one are queued or run: they would do the same work.
func notTwice(ctx context.Context, dir string) error {
	jobs, err := slurm.Jobs(dir)
	if _, missing := slurm.Find("squeue"); err != nil || len(jobs) == 0 || missing != nil {
		return err
	}
	states, err := slurm.States(ctx, jobs)
	if err != nil {
		return err
	}
	for _, st := range states {
		if st.Live {
			return fault.Usage.Wrap(fmt.Errorf("job %s of this study is %s: infnet slurm status shows it; let it end, or "+
				"end it with infnet slurm cancel, before the study is submitted again", st.Job.ID, strings.ToLower(st.Word)))
		}
	}
	return nil
}
