package local

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/transformer"
	"infnet/harness/seed"
)

// logitRows bounds the rows of vocabulary-wide logits held at once.
const logitRows = 16

// alternative is a token the model could have said.
type alternative struct {
	token   int32
	logprob float64
}

// generate answers jobs from the hidden states after their prompts:
// one token of every unfinished job a step, the most probable one, the lowest
// id of equals, unless the request is sampled.
func (w *worker) generate(ctx context.Context, m *Model, jobs []*job, states []float32) error {
	active := slices.Clone(jobs)
	var segments []transformer.Segment
	for len(active) > 0 {
		w.eachLogits(active, states, func(j *job, logits []float32) { j.next(m, logits, w.net.Shape.Vocabulary) })
		active = slices.DeleteFunc(active, func(j *job) bool { return j.done })
		segments = segments[:0]
		for _, j := range active {
			n := len(j.fresh)
			j.grow(w.net, len(j.tokens)+n-1)
			segments = append(segments, transformer.Segment{Cache: j.cache, Tokens: j.fresh[n-1:],
				Pos: len(j.tokens) + n - 1, Wanted: transformer.Last})
		}
		if len(active) == 0 {
			break
		}
		hidden, err := w.Forward(ctx, segments)
		if err != nil {
			return err
		}
		copy(states, hidden)
	}
	for _, j := range jobs {
		j.finish(m)
	}
	return nil
}

// eachLogits calls do with the logits of every job's next token, room up to a
// multiple of kernel.Width behind them, which do may overwrite. A few jobs at a
// time go through the head, so that its weights are read once for them.
func (w *worker) eachLogits(jobs []*job, states []float32, do func(j *job, logits []float32)) {
	n := w.net
	width := kernel.Round(n.Shape.Vocabulary)
	if w.logits == nil {
		w.logits = make([]float32, logitRows*width)
	}
	for i := 0; i < len(jobs); i += logitRows {
		rows := min(logitRows, len(jobs)-i)
		n.Head.Mul(w.logits, width, states[i*n.Pad:], n.Pad, rows, 0, n.Shape.Vocabulary)
		for r := range rows {
			do(jobs[i+r], w.logits[r*width:(r+1)*width])
		}
	}
}

// draw returns what luck draws of these logits for a sampled request: luck is a hash of the request and of the place of
// the token in the answer, so that it is the same in any batch.
func (j *job) draw(logits []float32) int {
	wide := make([]float64, len(logits))
	for i, z := range logits {
		wide[i] = float64(z)
	}
	return j.request.Sampling.Draw(wide, seed.Uniform(j.request.Seed, "sample", string(j.answer.Key[:]),
		strconv.Itoa(len(j.fresh))))
}

// next appends the most probable token, or the one that is drawn, with its log-probability over the
// whole vocabulary, z - z_max - ln Σ exp(z - z_max), which no temperature changes.
func (j *job) next(m *Model, logits []float32, vocabulary int) {
	for i := vocabulary; i < len(logits); i++ {
		logits[i] = float32(math.Inf(-1))
	}
	best := kernel.Max(logits)
	token := slices.Index(logits[:vocabulary], best)
	var top []alternative
	if k := min(j.request.TopLogprobs, vocabulary); k > 0 {
		top = largest(logits[:vocabulary], k)
	}
	behind := 0.0
	if !j.request.Sampling.Greedy() && token >= 0 {
		token = j.draw(logits[:vocabulary])
		behind = float64(logits[token]) - float64(best)
	}
	_, sum := kernel.Softmax(logits, vocabulary)
	if token < 0 || math.IsNaN(float64(sum)) || math.IsInf(float64(best), 0) {
		j.answer.Failure = notANumber()
		j.done = true
		return
	}
	log := kernel.Ln(float64(sum))
	for i := range top {
		top[i].logprob = top[i].logprob - float64(best) - log
	}
	j.fresh = append(j.fresh, int32(token))
	j.logprobs = append(j.logprobs, behind-log) // 0 - log, not -log: certainty is 0, not -0
	j.top = append(j.top, top)
	j.done = len(j.fresh) == j.request.MaxTokens || m.ends(j, int32(token)) || j.stopped(m) >= 0
}

// largest returns the k largest logits in falling order, lower ids first among
// equals; logprob holds the logit.
func largest(logits []float32, k int) []alternative {
	top := make([]alternative, 0, k+1)
	for i, z := range logits {
		v := float64(z)
		if len(top) == k && v <= top[k-1].logprob {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, v, func(a alternative, v float64) int {
			if a.logprob >= v {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, alternative{int32(i), v})
		top = top[:min(len(top), k)]
	}
	return top
}

func (m *Model) ends(j *job, token int32) bool {
	if slices.Contains(m.eos, token) {
		return true
	}
	return j.request.Mode == backends.Chat && m.turns != nil && m.turns.stops && token == m.turns.end
}

// stopped returns where the first stop string begins in the text so far, or
// -1.
func (j *job) stopped(m *Model) int {
	if len(j.request.Stop) > 0 {
		text := m.tokens.Continue(j.fresh)
		if at := len(backends.BeforeStop(text, j.request.Stop)); at < len(text) {
			return at
		}
	}
	return -1
}

// finish writes the answer. The text goes on from the prompt exactly, a blank in
// front included. The tokens include the end token and those of a
// stop string, the text neither.
func (j *job) finish(m *Model) {
	a := j.answer
	if a.Failure != nil {
		return
	}
	said := j.fresh
	ended := m.ends(j, said[len(said)-1])
	if ended {
		said = said[:len(said)-1]
	}
	texts := m.tokens.Pieces(said)
	a.Text = strings.Join(texts, "")
	stopped := j.stopped(m)
	if stopped >= 0 && stopped < len(a.Text) {
		a.Text = a.Text[:stopped]
	}
	for i, t := range j.fresh {
		token := backends.Token{Logprob: j.logprobs[i], End: ended && i == len(said)}
		if token.End {
			token.Text = m.tokens.Text(t)
		} else {
			token.Text = texts[i]
		}
		for _, o := range j.top[i] {
			token.Top = append(token.Top, backends.Alternative{Text: m.tokens.Text(o.token), Logprob: o.logprob})
		}
		a.Tokens = append(a.Tokens, token)
	}
	a.Usage.Completion = backends.Counted(len(j.fresh))
	a.Finish = backends.FinishLength
	if ended || stopped >= 0 {
		a.Finish = backends.FinishEnd
	}
}

// cacheBudget bounds the floats of the caches a worker holds (128 MiB), unless
// one sequence alone needs more.
const cacheBudget = 32 << 20

// firstRoom is how many new tokens a cache has room for before it grows.
const firstRoom = 1024

// generateRows bounds the sequences that are continued together.
const generateRows = 64

// prefix is what all prompts of a call begin with, computed once.
type prefix struct {
	cache  *transformer.Cache
	length int
}

// sharePrefix finds and computes the longest common prefix. At least the last
// token of every prompt stays out of it.
func (m *Model) sharePrefix(ctx context.Context, jobs []*job) (prefix, error) {
	if len(jobs) < 2 || m.noPrefix {
		return prefix{}, nil
	}
	n := len(jobs[0].tokens) - 1
	for _, j := range jobs[1:] {
		n = min(n, len(j.tokens)-1)
		for i := range n {
			if j.tokens[i] != jobs[0].tokens[i] {
				n = i
				break
			}
		}
	}
	if n == 0 {
		return prefix{}, nil
	}
	p := prefix{m.net.NewCache(n), n}
	err := m.workers.Each(ctx, 1, func(w *worker, _ int) error {
		for at := 0; at < n; at += transformer.ChunkRows {
			tokens := jobs[0].tokens[at:min(at+transformer.ChunkRows, n)]
			if _, err := w.Forward(ctx, []transformer.Segment{{Cache: p.cache, Tokens: tokens, Pos: at}}); err != nil {
				return err
			}
		}
		return nil
	})
	return p, err
}

// groups splits jobs into what a worker takes at a time: classifications by
// chunks of tokens, generations by sequences, each in the order they came in,
// so that every thread gets some.
func (m *Model) groups(jobs []*job, shared int) [][]*job {
	var classify, generate []*job
	tokens := 0
	for _, j := range jobs {
		if j.generates() {
			generate = append(generate, j)
		} else {
			classify = append(classify, j)
			tokens += len(j.tokens) - shared
		}
	}
	rows := min(transformer.ChunkRows, max(1, (tokens+m.workers.Threads()-1)/m.workers.Threads()))
	out := m.pack(classify, rows, func(j *job) int { return len(j.tokens) - shared })
	sequences := min(generateRows, max(1, (len(generate)+m.workers.Threads()-1)/m.workers.Threads()))
	return append(out, m.pack(generate, sequences, func(*job) int { return 1 })...)
}

// pack fills groups up to limit in size and to the budget in cache.
func (m *Model) pack(jobs []*job, limit int, size func(*job) int) [][]*job {
	var out [][]*job
	begin, full, floats := 0, 0, 0
	for i, j := range jobs {
		s, c := size(j), m.net.CacheSize(j.positions())
		if i > begin && (full+s > limit || floats+c > cacheBudget) {
			out = append(out, jobs[begin:i])
			begin, full, floats = i, 0, 0
		}
		full, floats = full+s, floats+c
	}
	if begin < len(jobs) {
		out = append(out, jobs[begin:])
	}
	return out
}

type worker struct {
	*transformer.Worker
	net    *transformer.Network
	memory []float32 // of the caches of the group at hand
	logits []float32
}

func newWorker(n *transformer.Network) *worker { return &worker{Worker: n.NewWorker(), net: n} }
