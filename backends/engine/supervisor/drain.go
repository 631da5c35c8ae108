package supervisor

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"infnet/backends/redact"
)

// Sizes of the queue between an engine and its log.
const (
	chunkSize = 64 << 10
	chunks    = 64
)

// pace is how often output is written down and reported. Between two times the
// queue fills, and what does not fit into it is left out.
const pace = 50 * time.Millisecond

// queue is output on its way to the log: the rest of the beginning, which is
// never dropped, what was dropped after it, and what follows.
type queue struct {
	first   [][]byte
	missing int64 // bytes
	rest    [][]byte
}

// output takes an engine's output from its pipe into a queue as fast as it
// comes, and from there to the log as fast as that goes.
type output struct {
	pipe    *os.File
	log     *bounded
	secret  *redact.Redactor
	routine []string
	say     func(report)

	mu      sync.Mutex
	waiting queue
	begun   int // bytes of the beginning so far, at most headSize
	over    bool

	lines  lines
	broken bool // the line at hand lacks its beginning
}

func newOutput(pipe *os.File, log *bounded, secret *redact.Redactor, say func(report)) *output {
	return &output{pipe: pipe, log: log, secret: secret, say: say}
}

// giveUp ends the draining of a pipe that somebody holds open.
func (o *output) giveUp() { _ = o.pipe.SetReadDeadline(time.Now()) }

// drain returns when the pipe has ended and everything is written.
func (o *output) drain() {
	go o.read()
	for over := false; !over; {
		time.Sleep(pace)
		o.mu.Lock()
		q := o.waiting
		o.waiting, over = queue{}, o.over
		o.mu.Unlock()
		o.write(q, over)
	}
	o.log.finish()
}

// read fills the queue.
func (o *output) read() {
	b := make([]byte, chunkSize)
	for {
		n, err := o.pipe.Read(b)
		o.mu.Lock()
		if n > 0 {
			o.put(b[:n])
		}
		o.over = err != nil
		o.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// put adds to the queue, and drops its oldest part if it is full.
func (o *output) put(b []byte) {
	q := &o.waiting
	if o.begun < headSize {
		o.begun += len(b)
		q.first = join(q.first, b)
		return
	}
	q.rest = join(q.rest, b)
	if len(q.rest) > chunks {
		q.missing += int64(len(q.rest[0]))
		q.rest = q.rest[1:]
	}
}

// join copies b to the end of a list of pieces, into the last one if it fits.
func join(list [][]byte, b []byte) [][]byte {
	if last := len(list) - 1; last >= 0 && len(list[last])+len(b) <= chunkSize {
		list[last] = append(list[last], b...)
		return list
	}
	return append(list, bytes.Clone(b))
}

// write writes down what was in the queue, and reports it.
func (o *output) write(q queue, over bool) {
	r := report{Grown: len(q.first)+len(q.rest) > 0 || over}
	var text []byte
	routine := false
	each := func(line []byte, extra int) {
		if o.broken { // half a line, and perhaps half a secret
			o.broken = false
			o.log.skip(int64(len(line) + extra))
			return
		}
		s := cut(o.secret.Text(clean(line)), extra)
		if s == "" {
			return
		}
		text = append(append(text, s...), '\n')
		r.Lines = append(r.Lines, s)
		if o.isRoutine(s) {
			routine = true
		} else {
			r.News, r.Last = true, s
		}
		if len(r.Lines) > 2*kept {
			r.Lines = append([]string(nil), r.Lines[len(r.Lines)-kept:]...)
		}
	}
	write := func(list [][]byte) {
		for _, b := range list {
			o.lines.add(b, each)
			o.log.write(text)
			text = text[:0]
		}
	}
	write(q.first)
	if q.missing > 0 {
		o.log.skip(q.missing + int64(len(o.lines.line)+o.lines.extra))
		o.lines, o.broken = lines{}, true
	}
	write(q.rest)
	if over {
		o.lines.end(each)
		o.log.write(text)
	}
	if len(o.lines.line) > 0 && !o.broken {
		r.Partial = cut(o.secret.Text(clean(o.lines.line)), o.lines.extra)
		if o.isRoutine(r.Partial) {
			routine = true
		} else {
			r.News = r.News || r.Grown
		}
	}
	r.News = r.News || r.Grown && !routine // a blank line
	if r.Grown {
		r.Lines = r.Lines[max(0, len(r.Lines)-kept):]
		o.say(r)
	}
}

// isRoutine reports whether a line says nothing about the server.
func (o *output) isRoutine(line string) bool {
	return slices.ContainsFunc(o.routine, func(r string) bool { return strings.Contains(line, r) })
}
