package batch

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
)

// Came is what the output of a batch brought.
type Came struct {
	collect.Report
	Ours    int            // requests of the study that lines are about
	Unasked map[string]int // of Ours: those that the provider never asked, by why
	Foreign int            // lines about requests that the study does not make
	First   string         // custom_id of one of them
	Unsure  []string       // models of which it is not known how the batch asked classifications
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
				k := it.Request.Key()
				if out.Has(k) {
					n++
				}
				if out.Has(k) || out.Unasked[k] != "" {
					mine[k] = true
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
	c.Ours, c.Unasked = len(mine), map[string]int{}
	for k := range out.at {
		if !mine[k] {
			c.foreign(k.String())
		}
	}
	for k, why := range out.Unasked {
		if mine[k] {
			c.Unasked[why]++
		} else {
			c.foreign(k.String())
		}
	}
	for id := range out.Strange {
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

// LabelModes are the label modes that manifests name, by model.
func LabelModes(manifests []*Manifest) (map[string]backends.LabelMode, error) {
	out := map[string]backends.LabelMode{}
	for _, m := range manifests {
		for _, a := range m.Models {
			if before := out[a.Model]; before != "" && a.LabelMode != "" && before != a.LabelMode {
				return nil, fault.Data.Wrap(fmt.Errorf("two batches ask model %s by %q and by %q: read them one after the other",
					a.Model, before, a.LabelMode))
			}
			if a.LabelMode != "" {
				out[a.Model] = a.LabelMode
			}
		}
	}
	return out, nil
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
			a.Batch = string(o.Format)
			if answers[i] = a; a.Failure == nil {
				break
			}
		}
	}
	return answers, ctx.Err()
}
