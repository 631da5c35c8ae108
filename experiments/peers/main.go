// Command peers measures infnet next to the libraries that people use for the
// same work. It owns the list of works, the data they run on, and the table it
// prints; it knows nothing about how infnet or a library does the work. It
// refuses to compare figures of two runs: both programs get the same files and
// take turns. Its opinion: a figure is the processor time of one thread, the
// least of several runs, with the peak memory of the process that did the work.
//
//	go run ./experiments/peers                      every work, with the peers that the Python found has
//	go run ./experiments/peers -only svd,isotonic   some of them
//	go run ./experiments/peers -list                their names
//	go run ./experiments/peers -scaling DIR         time and memory against size, as a table and figures
//
// Python is needed for the peers alone; a work whose peer is not installed is
// measured without it, and the table says so.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	only    string
	list    bool
	runs    int
	python  string
	infnet  string
	scaling string
	child   string
	folder  string
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.StringVar(&o.only, "only", "", "works to measure, separated by commas; a prefix takes all that begin with it")
	f.BoolVar(&o.list, "list", false, "list the works and end")
	f.IntVar(&o.runs, "runs", 3, "how often each program runs")
	f.StringVar(&o.python, "python", "python3", "the Python that has the peers")
	f.StringVar(&o.infnet, "infnet", "", "the infnet program to measure; built from this checkout if not given")
	f.StringVar(&o.scaling, "scaling", "", "measure time and memory against size, and write the figures into this folder")
	f.StringVar(&o.child, "child", "", "used by the program itself: measure this work as its parent asks")
	f.StringVar(&o.folder, "folder", "", "used by the program itself: where the data are")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is not an option: works are named by -only", f.Arg(0))
	}
	if o.runs < 1 {
		return fmt.Errorf("-runs %d: must be at least 1", o.runs)
	}
	if o.child != "" {
		return serve(ctx, o, os.Stdin, out)
	}
	chosen, err := choose(o.only)
	if err != nil {
		return err
	}
	switch {
	case o.list:
		for _, w := range chosen {
			fmt.Fprintf(out, "%-16s %s\n", w.name, w.title)
		}
		return nil
	case o.scaling != "":
		return scaling(ctx, o, out)
	}
	return compare(ctx, o, chosen, out)
}

// choose returns the works that only names, all of them where it names none.
func choose(only string) ([]work, error) {
	if only == "" {
		return works, nil
	}
	var chosen []work
	for name := range strings.SplitSeq(only, ",") {
		before := len(chosen)
		for _, w := range works {
			if strings.HasPrefix(w.name, name) && !slices.ContainsFunc(chosen, func(c work) bool { return c.name == w.name }) {
				chosen = append(chosen, w)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("-only %q: no work begins so, or it was named before; -list shows all", name)
		}
	}
	return chosen, nil
}
