package serving

import (
	"context"
	"errors"
	"slices"
	"time"

	"infnet/backends"
)

// noticed is how long a broken call waits for the news that its server died.
const noticed = 5 * time.Second

// recovered says whether a call that failed is to be made again: a server died or became ready since it began, and one
// is ready now. The error says that no server will be ready again.
func (s *Servers) recovered(ctx context.Context, before int) (bool, error) {
	begin, stop := backends.Beginning(ctx) // an interruption ends the wait
	defer stop()
	sick := func(r *replica) bool { return health(begin, r.task()) != nil }
	for limit := time.Now().Add(noticed); ; {
		if !pause(begin, 50*time.Millisecond) { // a server that breaks a connection may be about to end
			return false, context.Cause(begin)
		}
		ready, changes, gone := s.count()
		switch {
		case gone != nil:
			return false, gone
		case ready > 0 && changes > before:
			return true, nil
		case ready > 0 && (!slices.ContainsFunc(s.replicas, sick) || time.Now().After(limit)):
			return false, nil
		}
	}
}

// count counts the servers that are ready, and their changes so far. gone says that none will be ready again.
func (s *Servers) count() (ready, changes int, gone error) {
	waiting := false
	for _, r := range s.replicas {
		r.change(func() {
			changes += r.changes
			switch {
			case r.err != nil:
				gone = r.err
			case r.ready:
				ready++
			default:
				waiting = true
			}
		})
	}
	if ready > 0 || waiting {
		gone = nil
	}
	return ready, changes, gone
}

// steadily makes a call that says whether it was lost, and makes it again as long as that is for a server that died.
func (s *Servers) steadily(ctx context.Context, call func() (lost bool, err error)) error {
	for {
		_, before, _ := s.count()
		lost, err := call()
		if !lost {
			return err
		}
		switch again, gone := s.recovered(ctx, before); {
		case gone != nil:
			return gone
		case !again:
			return err
		}
	}
}

// Do makes a call that answers no request, such as probing a server or embedding texts, and
// makes it again when a server died under it.
func (s *Servers) Do(ctx context.Context, call func() error) error {
	return s.steadily(ctx, func() (bool, error) {
		err := call()
		var f *backends.Failure
		return errors.As(err, &f) && f.Temporary(), err
	})
}

// steadyModel asks again what a server that died did not answer, once a server is ready again. No failure is
// returned for that.
type steadyModel struct {
	backends.Model
	servers *Servers
}

var _ backends.Wrapper = (*steadyModel)(nil)

// Model wraps a model behind the servers.
func (s *Servers) Model(m backends.Model) backends.Model { return &steadyModel{m, s} }

// Unwrap returns the model inside.
func (m *steadyModel) Unwrap() backends.Model { return m.Model }

// Answer asks until the failures that are left are not those of a server that died.
func (m *steadyModel) Answer(ctx context.Context, reqs []backends.Request) (answers []backends.Answer, err error) {
	left, at := reqs, []int(nil) // what is asked now, and where it is among the requests; nil = all of them
	err = m.servers.steadily(ctx, func() (bool, error) {
		got, err := m.Model.Answer(ctx, left)
		switch {
		case at == nil:
			answers = slices.Clone(got)
		case len(got) == len(at):
			for k, i := range at {
				answers[i] = got[k]
			}
		}
		if err != nil || len(got) != len(left) {
			return false, err
		}
		left, at = nil, []int{}
		for i, a := range answers {
			if a.Failure != nil && a.Failure.Temporary() {
				left, at = append(left, reqs[i]), append(at, i)
			}
		}
		return len(at) > 0, nil
	})
	return answers, err
}
