package collect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"infnet/backends"
	"infnet/harness/store"
)

// EmbedJob is one embedder's work on the texts of a study.
type EmbedJob struct {
	Embedder backends.ModelID
	Served   string // the embedder's name on its servers; "" = no server knows it by a name
	Name     string // the embedder's name, for people
	What     string // what it makes, for people; "" = embeddings

	// Texts yields the texts, repeats included. It is ranged over more than
	// once and must yield the same every time.
	Texts iter.Seq[string]

	// Open opens the embedder; it is called at most once and only when
	// something must be embedded. nil is allowed where nothing will be.
	Open func() (backends.Embedder, error)

	Batch int // texts per call; 0 = 256

	Price Price // of the embedder's tokens, for a Budget; they are estimated from characters
}

// what is what the job makes.
func (j *EmbedJob) what() string {
	if j.What == "" {
		return "embeddings"
	}
	return j.What
}

// EmbedReport counts texts. In a run that was not stopped,
//
//	Total = Had + Shared + Made
type EmbedReport struct {
	Embedder string
	Path     string // the file of the embeddings
	Total    int    // texts, repeats included
	Had      int    // on disk before
	Shared   int    // repeats of a text that was embedded in this run
	Made     int    // embedded in this run, and on disk
}

// Embed brings the embeddings of texts to the store: of each different text
// one, each batch on disk before it is counted. Its errors are those of Run;
// an embedder's own error ends it.
func Embed(ctx context.Context, st *store.Store, j EmbedJob, opt Options, p Progress) (EmbedReport, error) {
	if p == nil {
		p = Silent{}
	}
	rep, err := embed(ctx, st, j, opt.defaults(), p)
	rep.Embedder = j.Name
	if err != nil {
		var m *MissingError
		if !errors.As(err, &m) {
			err = fmt.Errorf("embed with %s: %w", j.Name, err)
			if j.What != "" {
				err = fmt.Errorf("%s by %s: %w", j.What, j.Name, errors.Unwrap(err))
			}
		}
	}
	return rep, err
}

func embed(ctx context.Context, st *store.Store, j EmbedJob, opt Options, p Progress) (rep EmbedReport, err error) {
	read, err := st.Vectors(j.Embedder)
	if err != nil {
		return rep, err
	}
	read.As(j.Served)
	rep.Path = read.Path()
	want := map[short]struct{}{}
	for text := range j.Texts {
		if rep.Total++; rep.Total%1024 == 0 && ctx.Err() != nil {
			break
		}
		key := store.TextKey(text)
		if _, dup := want[short(key[:16])]; dup {
			rep.Shared++
		} else if read.Has(text) {
			rep.Had++
		} else {
			want[short(key[:16])] = struct{}{}
		}
	}
	read.Close()
	if ctx.Err() != nil {
		return rep, context.Cause(ctx)
	}
	task := Task{Model: j.Name, Dataset: j.what()}
	if len(want) == 0 {
		p.Start(task, rep.Total-rep.Shared, rep.Had)
		p.Finish()
		return rep, nil
	}
	if opt.Offline {
		return rep, &MissingError{[]Missing{{Model: j.Name, Dataset: j.what(), Count: len(want)}}}
	}
	if j.Open == nil {
		return rep, errors.New("there is no way to open the embedder")
	}
	out, err := st.WriteVectors(j.Embedder)
	if err != nil {
		return rep, err
	}
	out.As(j.Served)
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	embedder, err := j.Open()
	if err != nil {
		return rep, err
	}
	p.Start(task, rep.Total-rep.Shared, rep.Had)
	defer p.Finish()
	begin, stop := opt.Budget.deadline(ctx)
	defer stop()
	calls, end := opt.linger(begin, j.Embedder.Kind)
	defer end()
	e := &embedding{ctx: begin, calls: calls, opt: opt, kind: j.Embedder.Kind, embedder: embedder, out: out, progress: p, report: &rep, budget: opt.Budget}
	if j.Embedder.Kind != backends.Lexical { // which is no model
		e.meter = opt.Budget.meter(Job{Model: j.Embedder, Price: j.Price}, nil)
	}
	err = e.all(j, want)
	if err != nil && ctx.Err() == nil && begin.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		err = opt.Budget.exhausted("time")
	}
	return rep, err
}

// embedding is the work of one Embed call.
type embedding struct {
	ctx      context.Context // under which calls are begun
	calls    context.Context // under which they go on
	opt      Options
	kind     backends.Kind
	embedder backends.Embedder
	out      *store.Vectors
	progress Progress
	report   *EmbedReport
	dim      int // of the vectors so far; 0 = none yet
	budget   *Budget
	meter    *meter // nil = no limit
}

// all embeds the wanted texts in batches.
func (e *embedding) all(j EmbedJob, want map[short]struct{}) error {
	size := j.Batch
	if size <= 0 {
		size = 256
	}
	var batch []string
	for text := range j.Texts {
		key := store.TextKey(text)
		if _, wanted := want[short(key[:16])]; !wanted {
			continue
		}
		delete(want, short(key[:16]))
		if batch = append(batch, text); len(batch) == size {
			if err := e.batch(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) > 0 {
		return e.batch(batch)
	}
	return nil
}

// call embeds texts within the budget.
func (e *embedding) call(texts []string) (vectors [][]float32, err error) {
	items := make([]Item, len(texts))
	for i, text := range texts {
		items[i].Request.Prompt = text
	}
	reserved, over, err := e.meter.enter(e.ctx, items)
	if err != nil {
		return nil, err
	}
	if over != "" {
		return nil, e.budget.exhausted(over)
	}
	received := make([]backends.Answer, len(texts)) // without usage: what was expected counts
	defer func() {
		if err != nil {
			received = nil
		}
		e.meter.leave(reserved, items, received)
	}()
	defer context.AfterFunc(e.ctx, func() { e.opt.tell(1, e.kind) })()
	vectors, err = e.embedder.Embed(e.calls, texts)
	if err != nil && e.ctx.Err() != nil {
		err = context.Cause(e.ctx)
	}
	return vectors, err
}

// batch embeds texts, checks the vectors, writes them, then counts them.
func (e *embedding) batch(texts []string) error {
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	vectors, err := e.call(texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	out := make([]store.Vector, len(texts))
	for i, v := range vectors {
		if e.dim == 0 {
			e.dim = len(v)
		}
		if len(v) == 0 || len(v) != e.dim {
			return fmt.Errorf("a vector of length %d among vectors of length %d, for the text %.60q", len(v), e.dim, texts[i])
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("a vector holds %v, for the text %.60q", x, texts[i])
			}
		}
		out[i] = store.Vector{Text: texts[i], Values: v}
	}
	n, err := e.out.Append(out) // with an error, n are on the disk all the same
	e.report.Made += n
	e.progress.Add(n)
	if err != nil && n < len(out) {
		return fmt.Errorf("%w; %d more that were received are not on disk and will be asked for again", err, len(out)-n)
	}
	return err
}
