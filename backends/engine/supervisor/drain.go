package supervisor

import (
	"os"
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

// output takes an engine's output from its pipe into a queue as fast as it
// comes, and from there to the log as fast as that goes.
type output struct {
	pipe   *os.File
	log    *bounded
	secret *redact.Redactor
	say    func(report)

	mu      sync.Mutex
	queue   [][]byte
	missing int64 // bytes dropped before the queue's first
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
		var missing int64
		var queue [][]byte
		o.mu.Lock()
		queue, missing, over = o.queue, o.missing, o.over
		o.queue, o.missing = nil, 0
		o.mu.Unlock()
		o.write(queue, missing, over)
	}
	o.log.finish()
}

// read fills the queue.
func (o *output) read() {
	for {
		b := make([]byte, chunkSize)
		n, err := o.pipe.Read(b)
		o.mu.Lock()
		if last := len(o.queue) - 1; last >= 0 && len(o.queue[last])+n <= chunkSize {
			o.queue[last] = append(o.queue[last], b[:n]...)
		} else if n > 0 {
			o.queue = append(o.queue, b[:n])
		}
		if len(o.queue) > chunks {
			o.missing += int64(len(o.queue[0]))
			o.queue = o.queue[1:]
		}
		o.over = err != nil
		o.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// write writes down what was in the queue, and reports it.
func (o *output) write(queue [][]byte, missing int64, over bool) {
	r := report{Grown: len(queue) > 0 || over}
	var text []byte
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
		if len(r.Lines) > 2*kept {
			r.Lines = append([]string(nil), r.Lines[len(r.Lines)-kept:]...)
		}
	}
	if missing > 0 {
		o.log.skip(missing + int64(len(o.lines.line)+o.lines.extra))
		o.lines, o.broken = lines{}, true
	}
	for _, b := range queue {
		o.lines.add(b, each)
		o.log.write(text)
		text = text[:0]
	}
	if over {
		o.lines.end(each)
		o.log.write(text)
	}
	if len(o.lines.line) > 0 && !o.broken {
		r.Partial = cut(o.secret.Text(clean(o.lines.line)), o.lines.extra)
	}
	if r.Grown {
		r.Lines = r.Lines[max(0, len(r.Lines)-kept):]
		o.say(r)
	}
}
