package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Leftovers lists the servers recorded in a folder that still run though the
// infnet that started them does not. It removes records of servers of which
// nothing is left. Servers of an infnet that lives are none of them, nor are
// those of another machine or container, of which nothing can be said here.
func Leftovers(state string) ([]Leftover, error) {
	entries, err := os.ReadDir(state)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Leftover
	var errs []error
	host, _ := os.Hostname()
	boot, namespace := place()
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "server-") || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		path := filepath.Join(state, e.Name())
		r, err := readRecord(path)
		switch {
		case errors.Is(err, os.ErrNotExist): // its supervisor has just ended
			continue
		case err != nil || r.Marker == "" || len(r.Command) == 0:
			errs = append(errs, fmt.Errorf("%s is no record of a server: delete it if none of its processes runs", path))
			continue
		case r.Boot != boot && r.Host == host: // before a restart
			r.remove()
			continue
		case r.Boot != boot || r.Namespace != namespace || r.Owner.alive():
			continue
		}
		found := r.find(nil)
		if len(found) == 0 && !r.Supervisor.alive() {
			r.remove()
			continue
		}
		l := Leftover{record: r, stopping: r.Supervisor.alive()}
		for _, p := range found {
			l.pids = append(l.pids, p.PID)
		}
		out = append(out, l)
	}
	return out, errors.Join(errs...)
}

// find returns the live processes of a server: those that were recorded, those
// that carry its marker, those found before, and all below any of these.
func (r record) find(before []identity) []process {
	return below(processes(), func(p process) bool {
		return p.identity != r.Supervisor && p.PID != os.Getpid() && (slices.Contains(r.Processes, p.identity) ||
			slices.Contains(before, p.identity) || marked(p.PID, r.Marker))
	})
}

// Stop ends what is left of a server, and removes its record.
func (l Leftover) Stop(ctx context.Context) error {
	for l.Supervisor.alive() { // it is at work already
		select {
		case <-ctx.Done():
			return fmt.Errorf("stopping what is left of server %q: %w", l.Name, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
	if left := sweep(ctx, l.record, l.Grace); len(left) > 0 {
		return fmt.Errorf("stopping what is left of server %q: processes %s do not end: kill -9 them, "+
			"as their owner or as root", l.Name, list(left))
	}
	l.remove()
	return nil
}

// sweep stops the processes of a server without its supervisor.
func sweep(ctx context.Context, r record, grace time.Duration) (left []int) {
	var known []identity
	return stop(ctx, grace, func() []process {
		found := r.find(known)
		for _, p := range found {
			if !slices.Contains(known, p.identity) {
				known = append(known, p.identity)
			}
		}
		return found
	})
}
