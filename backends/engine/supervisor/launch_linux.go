package supervisor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"infnet/backends/redact"
)

// report is what a supervisor says, a JSON object a line: how the start went, and how everything ended.
type report struct {
	Started int        `json:",omitempty"` // the engine's pid
	Failed  string     `json:",omitempty"` // why it could not be started
	End     *ExitError `json:",omitempty"` // everything is over
}

// launch starts a supervisor, gives it its order, and waits until the engine runs. Two pipes connect them: orders to
// it, which end when this process ends, and reports from it. Both are closed in other children.
func launch(ctx context.Context, o order) (*Process, error) {
	log, err := openLog(o.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	fmt.Fprintf(log, "[infnet: %s: %s]\n", time.Now().UTC().Format(time.RFC3339),
		redact.New(o.Secrets...).Text(strings.Join(append([]string{o.Path}, o.Args...), " ")))
	const program = "/proc/self/exe" // this one, even if its file was replaced since
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("/proc is not mounted, and without it no server's processes can be found: %w", err)
	}
	theirOrders, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	reports, theirReports, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program)
	cmd.Args = []string{title, o.Name}
	cmd.Env = append(os.Environ(), variable+"=1")
	cmd.Stderr = log // for a panic of the supervisor's own
	cmd.ExtraFiles = []*os.File{theirOrders, theirReports}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_, _ = theirOrders.Close(), theirReports.Close()
	if err != nil {
		_, _ = orders.Close(), reports.Close()
		return nil, fmt.Errorf("starting its supervisor: %w", err)
	}
	said := json.NewDecoder(bufio.NewReader(reports))
	end := func() { // the pipe's end stops everything below the supervisor
		_ = orders.Close()
		_ = cmd.Wait()
		_ = reports.Close()
	}
	cancelled := context.AfterFunc(ctx, func() { _ = reports.SetReadDeadline(time.Now()) })
	defer cancelled()
	p := &Process{Server: o.Server, done: make(chan struct{}), stop: orders.Close}
	p.from = p.logged()
	var first report
	if err = json.NewEncoder(orders).Encode(o); err == nil {
		err = said.Decode(&first)
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
	_ = reports.SetReadDeadline(time.Time{})
	p.pid = first.Started
	go func() {
		var last report
		err := said.Decode(&last)
		end()
		if err != nil || last.End == nil { // it was killed: its work is ours
			last.End = &ExitError{Lost: true, Left: stop(o.Grace, func() []process { return marked(o.Mark) })}
		}
		p.finish(last.End)
	}()
	return p, nil
}
