package batch

import (
	"context"
	"errors"
	"iter"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
)

// Came is what the output of a batch brought.
type Came struct {
	collect.Report
	Ours    int    // requests of the study that lines are about
	Foreign int    // lines about requests that the study does not make
	First   string // custom_id of one of them
}

// Match lists the work that an output has answers for, whose models answer from the output, and counts what else it
// has.
func (c *Came) Match(ctx context.Context, out *Output, models []Subject) (jobs []collect.Job, err error) {
	mine := map[backends.Key]bool{} // keys of the output that the study asks
	for _, m := range models {
		for _, j := range m.Jobs {
			n := 0
			for it, err := range j.Items {
				if err != nil {
					return nil, err
				}
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if k := it.Request.Key(); out.Has(k) {
					mine[k] = true
					n++
				}
			}
			if n == 0 {
				continue
			}
			j.Items, j.Before, j.After = out.answered(j.Items), nil, nil
			j.Open = func() (backends.Model, error) {
				return m.Checked(j.Dataset, &mailbox{out: out, batch: m.Batch}), nil
			}
			jobs = append(jobs, j)
		}
	}
	c.Ours = len(mine)
	for k := range out.at {
		if !mine[k] {
			c.foreign(k.String())
		}
	}
	for _, id := range out.Strange {
		c.foreign(id)
	}
	return jobs, nil
}

func (c *Came) foreign(id string) {
	if c.Foreign++; c.First == "" || id < c.First {
		c.First = id
	}
}

// answered keeps the requests that the output answers.
func (o *Output) answered(items iter.Seq2[collect.Item, error]) iter.Seq2[collect.Item, error] {
	return func(yield func(collect.Item, error) bool) {
		for it, err := range items {
			if (err != nil || o.Has(it.Request.Key())) && !yield(it, err) {
				return
			}
		}
	}
}

type mailbox struct {
	out   *Output
	batch backends.Batch
}

// Answer reads the replies to requests. Of several lines about a request the first good one counts, else the last.
func (b *mailbox) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	answers := make([]backends.Answer, len(reqs))
	for i, r := range reqs {
		said, err := b.out.Of(r.Key())
		if err != nil {
			return nil, fault.Data.Wrap(err)
		}
		if len(said) == 0 {
			return nil, errors.New("a request was asked that the output has no line about")
		}
		for _, o := range said {
			a := backends.Answer{Key: r.Key(), Failure: o.Failure}
			if a.Failure == nil {
				a = b.batch.Answer(ctx, r, o.Reply)
			}
			a = backends.Pass(r, a)
			a.Batch = "batch"
			if answers[i] = a; a.Failure == nil {
				break
			}
		}
	}
	return answers, ctx.Err()
}
