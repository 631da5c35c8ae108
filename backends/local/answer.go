package local

import (
	"cmp"
	"context"
	"time"

	"infnet/backends"
	"infnet/backends/runtime/transformer"
)

type job struct {
	request  *backends.Request
	answer   *backends.Answer
	tokens   []int32 // the prompt, fitted to the context
	labels   []int32 // first token of each label; nil = generate
	cache    *transformer.Cache
	room     int       // positions in cache
	fresh    []int32   // generated tokens
	logprobs []float64 // of fresh
	top      [][]alternative
	done     bool
}

func (j *job) generates() bool { return j.labels == nil }

// Answer answers requests; see backends.Model. A prompt longer than the context
// (less MaxTokens) loses tokens right after the beginning-of-sequence token,
// counted in Truncated. Latency is the request's share, by tokens, of the time
// its group took. Usage.Cached counts the tokens of the prompt all requests of
// the call begin with, which are computed once.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answers := make([]backends.Answer, len(reqs))
	all := make([]*job, len(reqs))
	err := m.workers.Each(ctx, len(reqs), func(_ *worker, i int) error {
		answers[i].Key = reqs[i].Key()
		all[i] = m.prepare(&reqs[i], &answers[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	var jobs []*job
	for _, j := range all {
		if j != nil {
			jobs = append(jobs, j)
		}
	}
	if err := m.compute(ctx, jobs); err != nil {
		return nil, err
	}
	return answers, nil
}

// compute answers jobs: what their prompts share once, the rest in groups on
// all threads.
func (m *Model) compute(ctx context.Context, jobs []*job) error {
	shared, err := m.sharePrefix(ctx, jobs)
	if err != nil {
		return err
	}
	groups := m.groups(jobs, shared.length)
	return m.workers.Each(ctx, len(groups), func(w *worker, i int) error {
		start := time.Now()
		if err := w.run(ctx, m, groups[i], shared); err != nil {
			return err
		}
		attribute(groups[i], shared.length, time.Since(start))
		return nil
	})
}

// prepare renders, encodes and fits a prompt; nil means the answer already
// says why not.
func (m *Model) prepare(r *backends.Request, a *backends.Answer) *job {
	text, f := m.render(r)
	j := &job{request: r, answer: a}
	limit := m.net.Shape.Context
	if f == nil {
		j.tokens = text.encode(m.tokens)
		switch {
		case len(r.Labels) > 0:
			j.labels, f = m.labelTokens(text, j.tokens, r.Labels)
		case r.MaxTokens <= 0:
			f = badRequest("MaxTokens = %d: a generation needs at least 1", r.MaxTokens)
		case r.TopLogprobs < 0:
			f = badRequest("TopLogprobs = %d: want 0 or more", r.TopLogprobs)
		default:
			limit -= min(r.MaxTokens, limit)
		}
	}
	if f == nil && len(j.tokens) == 0 {
		f = badRequest("the prompt is empty and the model has no beginning-of-sequence token")
	}
	if f == nil {
		j.tokens, a.Truncated, f = text.fit(j.tokens, limit)
	}
	if f != nil {
		a.Failure = f
		return nil
	}
	a.Usage.Prompt = backends.Counted(len(j.tokens))
	return j
}

func (w *worker) run(ctx context.Context, m *Model, jobs []*job, shared prefix) error {
	size := 0
	for _, j := range jobs {
		if j.room = j.positions(); j.generates() {
			j.room = min(j.room, len(j.tokens)+cmp.Or(m.room, firstRoom))
		}
		size += w.net.CacheSize(j.room)
	}
	if len(w.memory) < size {
		w.memory = make([]float32, size)
	}
	rest := w.memory
	for _, j := range jobs {
		j.cache = w.net.PlaceCache(j.room, &rest)
		j.cache.CopyFrom(shared.cache, shared.length)
		j.answer.Usage.Cached = shared.length
	}
	defer func() {
		for _, j := range jobs {
			j.cache = nil
		}
	}()
	pad := w.net.Pad
	states := make([]float32, len(jobs)*pad)
	err := w.prefill(ctx, jobs, shared.length, func(i int, hidden []float32) { copy(states[i*pad:(i+1)*pad], hidden) })
	switch {
	case err != nil:
		return err
	case jobs[0].generates():
		return w.generate(ctx, m, jobs, states)
	}
	w.classify(jobs, states)
	return nil
}

// grow doubles the room of a job's cache where n positions fill it: few answers are as long as they may be.
func (j *job) grow(net *transformer.Network, n int) {
	if n < j.room {
		return
	}
	j.room = min(2*j.room, j.positions())
	cache := net.NewCache(j.room)
	cache.CopyFrom(j.cache, n)
	j.cache = cache
}

// positions is the most room that a job may need in its cache.
func (j *job) positions() int {
	if j.generates() {
		return len(j.tokens) + j.request.MaxTokens
	}
	return len(j.tokens)
}

// prefill runs the prompts from position from on through the network, filling
// chunks with tokens of as many as fit, and calls done with the normed hidden
// state after each prompt's last token.
func (w *worker) prefill(ctx context.Context, jobs []*job, from int, done func(i int, hidden []float32)) error {
	var segments []transformer.Segment
	var whose []int
	rows := 0
	flush := func() error {
		hidden, err := w.Forward(ctx, segments)
		if err != nil {
			return err
		}
		for k, i := range whose {
			done(i, hidden[k*w.net.Pad:(k+1)*w.net.Pad])
		}
		segments, whose, rows = segments[:0], whose[:0], 0
		return nil
	}
	for i, j := range jobs {
		for at := from; at < len(j.tokens); {
			n := min(len(j.tokens)-at, transformer.ChunkRows-rows)
			last := at+n == len(j.tokens)
			segments = append(segments, transformer.Segment{Cache: j.cache, Tokens: j.tokens[at : at+n], Pos: at})
			if last {
				segments[len(segments)-1].Wanted = transformer.Last
				whose = append(whose, i)
			}
			at, rows = at+n, rows+n
			if rows == transformer.ChunkRows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if rows == 0 {
		return nil
	}
	return flush()
}

// attribute spreads the time of a group over its jobs by the tokens computed.
func attribute(jobs []*job, shared int, took time.Duration) {
	total := 0
	for _, j := range jobs {
		total += len(j.tokens) - shared + len(j.fresh)
	}
	for _, j := range jobs {
		share := float64(len(j.tokens)-shared+len(j.fresh)) / float64(total)
		j.answer.Latency = time.Duration(share * float64(took))
	}
}
