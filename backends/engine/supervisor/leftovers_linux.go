package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Leftovers lists the servers recorded in a folder that still run though the
// infnet that started them does not. It removes records of servers of which
// nothing is left. Servers of an infnet that lives are none of them, nor are
// those of another machine or container, of which nothing can be said here.
func Leftovers(state string) ([]Leftover, error) {
	paths, err := filepath.Glob(filepath.Join(escapeGlob(state), "server-*.json"))
	if err != nil {
		return nil, err
	}
	var out []Leftover
	var errs []error
	host, _ := os.Hostname()
	boot, namespace := place()
	for _, path := range paths {
		r, err := readRecord(path)
		switch {
		case errors.Is(err, os.ErrNotExist): // its supervisor has just ended
			continue
		case err != nil || r.Marker == "" || len(r.Command) == 0:
			errs = append(errs, fmt.Errorf("%s is no record of a server: delete it if none of its processes runs", path))
			continue
		case r.Boot != boot && r.Host == host: // before a restart
			removeRecord(path)
			continue
		case r.Boot != boot || r.Namespace != namespace || r.Owner.alive():
			continue
		}
		found := r.find(nil)
		if len(found) == 0 && !r.Supervisor.alive() {
			removeRecord(path)
			continue
		}
		l := Leftover{Name: r.Name, Command: r.Command, Log: r.Log, Began: r.Began, Stopping: r.Supervisor.alive(),
			record: r, path: path}
		for _, p := range found {
			l.PIDs = append(l.PIDs, p.PID)
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
	for l.record.Supervisor.alive() { // it is at work already
		select {
		case <-ctx.Done():
			return fmt.Errorf("stopping what is left of server %q: %w", l.Name, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
	grace, err := time.ParseDuration(l.record.Grace)
	if err != nil {
		grace = DefaultGrace
	}
	if left := sweep(ctx, l.record, grace); len(left) > 0 {
		return fmt.Errorf("stopping what is left of server %q: processes %s do not end: kill -9 them, "+
			"as their owner or as root", l.Name, list(left))
	}
	removeRecord(l.path)
	return nil
}

// sweep stops the processes of a server without its supervisor: SIGTERM, the
// time of grace, SIGKILL until none is found. The end of ctx ends the time of
// grace. It returns those that do not end.
func sweep(ctx context.Context, r record, grace time.Duration) (left []int) {
	var known []identity
	asked := map[identity]bool{}
	begin := time.Now()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		found := r.find(known)
		if len(found) == 0 {
			return nil
		}
		passed := time.Since(begin)
		if ctx.Err() != nil && passed < grace {
			grace = passed
		}
		left = left[:0]
		for _, p := range found {
			if !slices.Contains(known, p.identity) {
				known = append(known, p.identity)
			}
			left = append(left, p.PID)
			switch {
			case passed >= grace:
				_ = p.signal(syscall.SIGKILL)
			case !asked[p.identity]:
				asked[p.identity] = true
				_ = p.signal(syscall.SIGTERM)
			}
		}
		if passed > grace+powerless {
			return left
		}
		pause := min(wait, max(grace-passed, 5*time.Millisecond))
		if ctx.Err() != nil {
			time.Sleep(pause)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// escapeGlob makes a path stand for itself in a pattern.
func escapeGlob(path string) string {
	var out []rune
	for _, c := range path {
		if slices.Contains([]rune(`*?[\`), c) {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return string(out)
}
