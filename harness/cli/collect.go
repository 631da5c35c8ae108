package cli

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/spec"
	"infnet/harness/store"
	"infnet/harness/task"
)

// collectFlags are the flags of commands that may call models.
type collectFlags struct {
	Offline     bool `help:"Call no model and download nothing: fail, listing what is missing."`
	RetryFailed bool `help:"Ask again for what failed in an earlier run."`
	budgetFlags
}

// reach is what --offline leaves of the hub.
func (f collectFlags) reach() reach {
	if f.Offline {
		return offline
	}
	return download
}

// collectCommand asks the models.
type collectCommand struct {
	studyFlags
	collectFlags
}

func (c *collectCommand) Run(ctx context.Context, s *streams) error {
	c.studyFlags.Budget = c.limits()
	st, err := c.open(ctx, s, c.reach())
	if err != nil {
		return err
	}
	report, err := st.collect(ctx, c.collectFlags)
	st.screen.wait()
	if err != nil {
		return err
	}
	causes(s, report)
	fmt.Fprintf(s.out, "%d answers collected; the store is %s\n", report.Asked(), st.store.Root())
	return st.complete(ctx)
}

// complete is an error where more answers are missing than the study allows, by
// the rule of analysis.
func (st *study) complete(ctx context.Context) error {
	gaps, err := records.Gaps(ctx, records.Input{Study: st.spec, Facts: st.models, Sheets: st.sheets, Sources: st.sources, Store: st.store})
	if err != nil || len(gaps) == 0 {
		return err
	}
	var parts []string
	for _, g := range gaps {
		parts = append(parts, fmt.Sprintf("%d of %d records of cascade %s on dataset %s lack an answer (%s)", g.Lost, g.Records, g.Cascade, g.Dataset, g.Missing))
	}
	return fault.Incomplete.Wrap(fmt.Errorf("incomplete: %s: more than [collect] max_missing = %v allows; --retry-failed asks again for what failed",
		strings.Join(parts, "; "), st.spec.Collect.MaxMissing))
}

// waiting says that a stop waits for calls that are paid for.
func (st *study) waiting(calls int, atMost time.Duration) {
	st.screen.log.Warn(fmt.Sprintf("stopping: waiting up to %v for %d calls under way, which are paid for; Ctrl-C again to leave now", atMost, calls))
}

// collect brings every answer and embedding of the study to disk.
func (st *study) collect(ctx context.Context, f collectFlags) (collect.Report, error) {
	budget := collect.NewSpending(collect.Limits(st.spec.Collect.Budget))
	defer budget.Close()
	options := collect.Options{RetryFailed: f.RetryFailed, Offline: f.Offline, Spending: budget, GiveUp: st.spec.Collect.GiveUp, Grace: st.spec.Collect.Grace, Hurry: st.hurry, Waiting: st.waiting}
	if options.GiveUp == 0 {
		options.GiveUp = -1
	}
	progress := &progress{ctx: ctx, screen: st.screen}
	if err := st.checkModels(); err != nil {
		return collect.Report{}, fault.Spec.Wrap(err)
	}
	held, err := st.holdings()
	if err == nil {
		err = st.older(held)
	}
	if err != nil {
		return collect.Report{}, err
	}
	if !f.Offline {
		if err := st.settle(ctx); err != nil {
			return collect.Report{}, err
		}
		if err := st.reconfirm(ctx, held); err != nil {
			return collect.Report{}, err
		}
	}
	if err := st.checkStudents(); err != nil {
		return collect.Report{}, fault.Model.Wrap(err)
	}
	report, err := collect.Run(ctx, st.store, st.jobs(ctx), options, progress)
	st.unreported(report)
	if err != nil {
		return report, err
	}
	if err := st.confirmVectors(ctx, f.Offline); err != nil {
		return report, err
	}
	if st.needsVectors() {
		if _, err = collect.Embed(ctx, st.store, st.embedJob(), options, progress); err != nil {
			return report, err
		}
	}
	if st.needsScores() {
		_, err = collect.Score(ctx, st.store, st.scoreJob(), options, progress)
	}
	return report, err
}

// unreported warns, once for each model, where a cost or a budget rests on
// tokens that its server did not report.
func (st *study) unreported(r collect.Report) {
	limits := st.spec.Collect.Budget
	switch st.spec.Cost.Model {
	case cost.TFLOPs, cost.Price, cost.Tokens:
	default:
		if limits.Tokens == 0 && limits.Cost == 0 {
			return
		}
	}
	for i := range st.spec.Models {
		name, n, of := st.spec.Models[i].Name, 0, 0
		for _, j := range r.Jobs {
			if j.Model == name {
				n, of = n+j.Unreported, of+j.Asked
			}
		}
		if n > 0 {
			st.screen.log.Warn(fmt.Sprintf("the server did not report the tokens of every answer: what it left out is estimated as %d characters a token, in costs and budgets", cost.CharactersPerToken),
				"model", name, "answers", n, "of", of)
		}
	}
}

// jobs lists each model's work on each dataset that some cascade pairs it
// with, model by model.
func (st *study) jobs(ctx context.Context) []collect.Job {
	var jobs []collect.Job
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		open := st.opened(ctx, m)
		for j := range st.spec.Datasets {
			d := &st.spec.Datasets[j]
			if !st.asked(m.Name, d.Name) || !st.here(m, d) {
				continue
			}
			jobs = append(jobs, collect.Job{
				Model: st.models[m.Name].ID, Name: m.Name, Dataset: d.Name, Hash: st.sources[d.Name],
				Items: st.items(m, d), Open: st.opener(m, d, open), Concurrency: st.concurrency(m), Price: price(m),
			})
		}
	}
	return jobs
}

// here reports whether both are on this machine.
func (st *study) here(m *spec.Model, d *spec.Dataset) bool {
	_, known := st.models[m.Name]
	return known && st.sheets[d.Name] != nil
}

// opener opens a model for its work on one dataset.
func (st *study) opener(m *spec.Model, d *spec.Dataset, open func() (backends.Model, error)) func() (backends.Model, error) {
	if !st.decides(m.Name, d.Name) {
		return open
	}
	return func() (backends.Model, error) {
		inner, err := open()
		if err != nil {
			return nil, err
		}
		return &student{Model: inner, name: m.Name}, nil
	}
}

// concurrency is the number of calls in flight: a server's own. A
// model in this process uses the machine by itself.
func (st *study) concurrency(m *spec.Model) int {
	r, _ := m.Config.Remote()
	return r.Concurrency
}

// asked reports whether some cascade asks the model about the dataset.
func (st *study) asked(model, dataset string) bool {
	for _, c := range st.spec.Cascades {
		if slices.Contains(c.Models, model) && slices.Contains(c.Datasets, dataset) {
			return true
		}
	}
	return false
}

func (st *study) items(m *spec.Model, d *spec.Dataset) iter.Seq2[collect.Item, error] {
	sheet, id := st.sheets[d.Name], st.models[m.Name].ID
	return func(yield func(collect.Item, error) bool) {
		for i, e := range sheet.Set.Examples {
			if !yield(collect.Item{ID: e.ID, Request: sheet.Request(i, id, m)}, nil) {
				return
			}
		}
	}
}

// needsVectors reports whether some dataset's rule or metrics look at
// embeddings, or the sufficiency test does.
func (st *study) needsVectors() bool {
	return st.embedsInputs() || slices.ContainsFunc(st.spec.Datasets, func(d spec.Dataset) bool { return question.Embeds(&d) })
}

// embedsInputs reports whether something looks at embeddings of what records
// put into the prompt: the sufficiency test, or a learner of a baseline.
func (st *study) embedsInputs() bool {
	return st.spec.Sufficiency.Asks(spec.Embeddings) || st.spec.Embeds()
}

// embedJob lists the texts to embed: the references and answers of every
// dataset that needs vectors, and the inputs of all where the sufficiency test
// looks at them.
func (st *study) embedJob() collect.EmbedJob {
	var paid collect.Price
	if m := st.spec.Embedder.Model; m != nil {
		paid = price(m)
	}
	return collect.EmbedJob{
		Embedder: st.embedder(), Served: question.Served(st.spec.Embedder.Model), Name: st.spec.Embedder.Name(), Open: st.openEmbedder, Batch: st.embedBatch(), Price: paid,
		Texts: func(yield func(string) bool) {
			for j := range st.spec.Datasets {
				d := &st.spec.Datasets[j]
				if question.Embeds(d) && !st.texts(d, yield) {
					return
				}
				if st.embedsInputs() && !st.inputs(d, yield) {
					return
				}
			}
		},
	}
}

// inputs yields what a dataset's records put into the prompt.
func (st *study) inputs(d *spec.Dataset, yield func(string) bool) bool {
	for i := range st.sheets[d.Name].Set.Examples {
		if !yield(st.sheets[d.Name].Input(i)) {
			return false
		}
	}
	return true
}

// texts yields a dataset's references and the answers to it.
func (st *study) texts(d *spec.Dataset, yield func(string) bool) bool {
	for _, e := range st.sheets[d.Name].Set.Examples {
		for _, text := range e.References {
			if !yield(text) {
				return false
			}
		}
	}
	return st.answered(d, func(_ int, text string) bool { return yield(text) })
}

// answered yields what models answered to a dataset's examples, as it is
// graded, as far as it is on disk.
func (st *study) answered(d *spec.Dataset, yield func(example int, text string) bool) bool {
	sheet := st.sheets[d.Name]
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		if !st.asked(m.Name, d.Name) {
			continue
		}
		id := st.models[m.Name].ID
		answers, err := st.store.Answers(store.ID{Model: id, Dataset: st.sources[d.Name], Name: d.Name})
		if err != nil {
			return true // analysis reads the same file and reports it
		}
		for i := range sheet.Set.Examples {
			k, _, _ := answers.Find(sheet.Request(i, id, m))
			r, ok, err := answers.Get(k)
			if err == nil && ok && !yield(i, task.Extract(r.Answer.Text, d.Stop)) {
				answers.Close()
				return false
			}
		}
		answers.Close()
	}
	return true
}

// causes prints why requests have no answer, if any.
func causes(s *streams, r collect.Report) {
	total := 0
	for _, n := range r.Causes() {
		total += n
	}
	if total == 0 {
		return
	}
	fmt.Fprintf(s.out, "\n%d requests have no answer:\n", total)
	for _, j := range r.Jobs {
		for _, g := range j.Failures() {
			fmt.Fprintf(s.out, "  %-20s %-20s %s ×%d, such as %s: %s\n", j.Model, j.Dataset, g.First.Cause, g.Count, clean(g.Example), oneLine(g.First.Message))
		}
	}
	fmt.Fprintln(s.out, "Failures are listed beside the answers, in *.failures.jsonl; --retry-failed asks again.")
}

// oneLine is the beginning of a message, for a list.
func oneLine(message string) string {
	const longest = 200
	text := strings.Join(strings.Fields(clean(message)), " ")
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return text
}

// progress shows collecting on the screen.
type progress struct {
	ctx    context.Context
	screen *screen
	task   *meter
}

func (p *progress) Start(t collect.Task, total, done int) {
	p.task = p.screen.start(t.Model+" · "+t.Dataset, total, done)
}
func (p *progress) Add(n int)                    { p.task.add(n, 0) }
func (p *progress) Fail(_ backends.Cause, n int) { p.task.add(n, n) }
func (p *progress) Finish()                      { p.task.finish(p.ctx) }
