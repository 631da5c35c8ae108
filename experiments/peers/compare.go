package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed peers.py
var script []byte

// row is a line of the table: one program at one work.
type row struct {
	work, program string
	cpu, peak     float64 // the least processor time; the peak
	most          float64 // the greatest processor time
	value         float64 // 0 = none
	missing       string  // why nothing was measured
}

// compare measures the works and prints the table, a work at a time.
func compare(ctx context.Context, o options, chosen []work, out io.Writer) error {
	dir, end, err := prepare(ctx, &o)
	if err != nil {
		return err
	}
	defer end()
	fmt.Fprintf(out, "%s. Processor seconds of one thread, the least and the greatest of %d runs in turns; "+
		"peak resident memory.\n\n", about(), o.runs)
	fmt.Fprintln(out, "| Work | Program | Seconds | to | of the peer's | MiB | Result |")
	fmt.Fprintln(out, "|---|---|--:|--:|--:|--:|--:|")
	for _, w := range chosen {
		rows, err := w.measure(ctx, o, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		for i, r := range rows {
			fmt.Fprintln(out, line(r, rows[0], i == 0))
		}
	}
	return nil
}

// prepare makes a folder with Python's side and infnet, which end removes.
func prepare(ctx context.Context, o *options) (dir string, end func(), err error) {
	if dir, err = os.MkdirTemp("", "infnet-peers-"); err != nil {
		return "", nil, err
	}
	end = func() { os.RemoveAll(dir) }
	if err = os.WriteFile(filepath.Join(dir, "peers.py"), script, 0o666); err == nil && o.infnet == "" {
		o.infnet = filepath.Join(dir, "infnet")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.infnet, "infnet")
		build.Stderr = os.Stderr
		if err = build.Run(); err != nil {
			err = fmt.Errorf("go build infnet: %w (run peers inside the module, or name a program by -infnet)", err)
		}
	}
	if err != nil {
		end()
	}
	return dir, end, err
}

// measure runs ours and every peer in turns.
func (w work) measure(ctx context.Context, o options, dir string) ([]row, error) {
	folder := filepath.Join(dir, w.name)
	if err := os.Mkdir(folder, 0o777); err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if w.data != nil {
		if err := w.data(folder); err != nil {
			return nil, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	first, err := start(ctx, "infnet", self, "-child", w.name, "-folder", folder, "-infnet", o.infnet)
	if err != nil {
		return nil, err
	}
	children := []*child{first}
	rows := []row{{work: w.title, program: "infnet"}}
	defer func() {
		for _, c := range children {
			if c != nil {
				_ = c.end() // its figures are in hand
			}
		}
	}()
	for _, p := range w.peers {
		c, err := start(ctx, p, o.python, filepath.Join(dir, "peers.py"), folder, p)
		var missing errMissing
		if err != nil && !errors.As(err, &missing) {
			return nil, err
		}
		r := row{work: w.title, program: p, missing: missing.what}
		if c != nil {
			r.program = c.version
		}
		children, rows = append(children, c), append(rows, r)
	}
	for i := range rows {
		rows[i].cpu = math.Inf(1)
	}
	for range o.runs {
		for i, c := range children {
			if c == nil {
				continue
			}
			f, err := c.run()
			if err != nil {
				return nil, err
			}
			r := &rows[i]
			r.cpu, r.most = min(r.cpu, f.CPU), max(r.most, f.CPU)
			r.peak, r.value = f.Peak, f.Value
		}
	}
	return rows, nil
}

// line words a row; the first of a work names it.
func line(r, ours row, first bool) string {
	title := ""
	if first {
		title = r.work
	}
	if r.missing != "" {
		return fmt.Sprintf("| %s | %s | not installed: %s | | | | |", title, r.program, r.missing)
	}
	share := ""
	if !first {
		share = digits(ours.cpu / r.cpu)
	}
	value := ""
	if r.value != 0 {
		value = fmt.Sprintf("%.6g", r.value)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %.0f | %s |",
		title, r.program, digits(r.cpu), digits(r.most), share, r.peak, value)
}

// digits writes a number with three digits that count.
func digits(s float64) string {
	if s >= 100 {
		return fmt.Sprintf("%.0f", s)
	}
	return fmt.Sprintf("%.3g", s)
}

// about names the machine and the compiler.
func about() string {
	return fmt.Sprintf("%s, %s/%s, %s", machine(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// machine names the processor, where Linux says it.
func machine() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return fmt.Sprintf("%d processors", runtime.NumCPU())
	}
	for l := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(l, "model name"); ok {
			return fmt.Sprintf("%d processors of %s", runtime.NumCPU(), strings.TrimLeft(strings.TrimSpace(name), ": \t"))
		}
	}
	return fmt.Sprintf("%d processors", runtime.NumCPU())
}
