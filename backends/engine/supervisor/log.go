package supervisor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"infnet/backends/redact"
)

// Sizes in bytes.
const (
	logLimit  = 8 << 20 // of a log: one that has grown beyond it is begun anew by the next server
	lineLimit = 4 << 10 // of a line in it
	readLimit = 1 << 20 // of a log's end that is read for its last lines
)

func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("no folder for its log: %w", err)
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, fmt.Errorf("its log cannot be written: %w", err)
	}
	return f, nil
}

// follow copies output into a log as clean lines without secrets, until it ends. A line ends at \n and at \r: a
// progress bar is a line each time it is drawn. What a full disk does not take is left out: an engine does not end
// for its log.
func follow(output io.Reader, log io.Writer, secret *redact.Redactor) {
	in := bufio.NewReader(output)
	for line := []byte(nil); ; {
		c, err := in.ReadByte()
		if err == nil && c != '\n' && c != '\r' {
			if len(line) < lineLimit {
				line = append(line, c)
			}
			continue
		}
		if s := secret.Text(clean(string(line))); s != "" {
			_, _ = io.WriteString(log, s+"\n")
		}
		if line = line[:0]; err != nil {
			return
		}
	}
}

var sequence = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]") // colours and moves of a terminal

// clean makes a line printable: valid characters alone, no escape sequences, no control characters, none that change
// the direction of writing.
func clean(line string) string {
	s := strings.Map(func(c rune) rune {
		if c != '\t' && !unicode.IsGraphic(c) {
			return -1
		}
		return c
	}, sequence.ReplaceAllString(strings.ToValidUTF8(line, "\ufffd"), ""))
	return strings.TrimRightFunc(s, unicode.IsSpace)
}

// Tail returns the last n lines of the server's output.
func (p *Process) Tail(n int) []string {
	f, err := os.Open(p.Log)
	if err != nil {
		return nil
	}
	defer f.Close()
	size := p.logged()
	b := make([]byte, min(size-p.from, readLimit))
	m, _ := f.ReadAt(b, size-int64(len(b)))
	lines := strings.FieldsFunc(string(b[:m]), func(c rune) bool { return c == '\n' })
	return lines[max(0, len(lines)-n):]
}

// logged is the size of the log.
func (p *Process) logged() int64 {
	info, err := os.Stat(p.Log)
	if err != nil {
		return p.from
	}
	return max(p.from, info.Size())
}
