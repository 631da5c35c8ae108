//go:build unix

package supervisor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// launch starts a supervisor, gives it its order, and waits until the engine
// runs.
func launch(ctx context.Context, o order) (*Process, error) {
	log, err := openLog(o.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if err := writeRecord(o.Record, newRecord(o)); err != nil {
		return nil, err
	}
	p, err := launchRecorded(ctx, o, log)
	if err != nil {
		removeRecord(o.Record)
	}
	return p, err
}

// pipes are the supervisor's: orders to it, which end when this process ends,
// and reports from it. All four ends are closed in other children.
type pipes struct{ theirOrders, ourOrders, ourReports, theirReports *os.File }

func newPipes() (p pipes, err error) {
	if p.theirOrders, p.ourOrders, err = os.Pipe(); err != nil {
		return p, err
	}
	if p.ourReports, p.theirReports, err = os.Pipe(); err != nil {
		_, _ = p.theirOrders.Close(), p.ourOrders.Close()
	}
	return p, err
}

func launchRecorded(ctx context.Context, o order, log *os.File) (*Process, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	p, err := newPipes()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program)
	cmd.Args = []string{title, o.Name}
	cmd.Env = append(os.Environ(), variable+"=1")
	cmd.Stderr = log // for a panic of the supervisor's own
	cmd.ExtraFiles = []*os.File{p.theirOrders, p.theirReports}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_, _ = p.theirOrders.Close(), p.theirReports.Close()
	if err != nil {
		_, _ = p.ourOrders.Close(), p.ourReports.Close()
		return nil, fmt.Errorf("starting its supervisor: %w", err)
	}
	give := json.NewEncoder(p.ourOrders)
	heard := json.NewDecoder(bufio.NewReader(p.ourReports))
	end := func() { // the pipe's end stops everything below the supervisor
		_ = p.ourOrders.Close()
		_ = cmd.Wait()
		_ = p.ourReports.Close()
	}
	cancelled := context.AfterFunc(ctx, func() { _ = p.ourReports.SetReadDeadline(time.Now()) })
	defer cancelled()
	var first report
	if err = give.Encode(o); err == nil {
		err = heard.Decode(&first)
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err != nil:
		err = fmt.Errorf("its supervisor ended at once (%s may say why): %w", o.Log, err)
	case first.Failed != "":
		err = errors.New(first.Failed)
	}
	if err != nil {
		end()
		return nil, err
	}
	_ = p.ourReports.SetReadDeadline(time.Time{})
	s := &Process{name: o.Name, log: o.Log, pid: first.Started, done: make(chan struct{}), grown: time.Now(),
		stop: p.ourOrders.Close}
	s.hear(first)
	go s.follow(heard, o, end)
	return s, nil
}

// follow hears a supervisor out.
func (p *Process) follow(heard *json.Decoder, o order, end func()) {
	for {
		var r report
		if err := heard.Decode(&r); err != nil {
			break
		}
		p.hear(r)
		if r.End != nil {
			end()
			p.finish(r.End, nil)
			return
		}
	}
	end() // the supervisor was killed: its work is ours
	r, err := readRecord(o.Record)
	if err != nil {
		r = newRecord(o)
	}
	left := sweep(context.Background(), r, o.Grace)
	if len(left) == 0 {
		removeRecord(o.Record)
	}
	p.finish(nil, left)
}
