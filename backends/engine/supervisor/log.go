package supervisor

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"infnet/backends/redact"
)

// Sizes in bytes.
const (
	logLimit  = 8 << 20       // of a log: one that has grown to it is kept as LOG.old, and another begun
	lineLimit = 4 << 10       // of a line in it
	rawLimit  = 4 * lineLimit // of a line as it is printed: escape sequences take room
	readLimit = 1 << 20       // of new lines that a Process reads at a time: of more, the last
)

// kept is how many last lines a Process holds. vLLM passes an error on through three processes, each with its stack:
// the line that says what happened is 130 lines above the last.
const kept = 400

type logFile struct {
	*os.File
	size int64
}

func openLog(path string) (*logFile, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > logLimit {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("making room for its log: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("its log cannot be written: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("its log cannot be written: %w", err)
	}
	return &logFile{f, info.Size()}, nil
}

// append appends whole lines. What a full disk does not take is left out: an engine does not end for its log.
func (l *logFile) append(text []byte) {
	if l.size > logLimit {
		if next, err := openLog(l.Name()); err == nil {
			_ = l.Close()
			*l = *next
		}
	}
	n, _ := l.Write(text)
	l.size += int64(n)
}

// follow copies output into the log as clean lines without secrets, until it ends. A line ends at \n and at \r: a
// progress bar is a line each time it is drawn.
func (l *logFile) follow(output io.Reader, secret *redact.Redactor) {
	in := bufio.NewReaderSize(output, 64<<10)
	var line, text []byte
	for {
		if in.Buffered() == 0 && len(text) > 0 {
			l.append(text)
			text = text[:0]
		}
		c, err := in.ReadByte()
		if err == nil && c != '\n' && c != '\r' {
			if len(line) < rawLimit {
				line = append(line, c)
			}
			continue
		}
		if s := cut(secret.Text(clean(line))); s != "" {
			text = append(append(text, s...), '\n')
		}
		line = line[:0]
		if err != nil {
			l.append(text)
			return
		}
	}
}

// sequence is what a terminal would act on: a control sequence (colours, moves),
// a string for the terminal (a title, a link), any other escape. One that is not
// finished takes the rest of the line.
var sequence = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)" +
	"|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c|$)" +
	"|\x1b[ -/]*(?:[0-~]|$)")

// clean makes a line printable: valid characters alone, no escape sequences, no
// control characters, none that change the direction of writing.
func clean(line []byte) string {
	s := strings.ToValidUTF8(string(line), "\ufffd")
	if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c >= 0x7f }) {
		s = sequence.ReplaceAllString(s, "")
		s = strings.Map(func(c rune) rune {
			if c != '\t' && c != utf8.RuneError && !unicode.IsGraphic(c) {
				return -1
			}
			return c
		}, s)
	}
	return strings.TrimRightFunc(s, unicode.IsSpace)
}

// cut shortens a line to lineLimit, between characters.
func cut(s string) string {
	if len(s) <= lineLimit {
		return s
	}
	return strings.ToValidUTF8(s[:lineLimit], "") + " …"
}

type heard struct {
	at    int64 // what was read of it
	lines []string
	last  string    // the last of them that was not routine
	grown time.Time // when one was that is not routine
}

func (h *heard) look(path string, routine []string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	if info.Size() < h.at { // it was begun anew
		h.at = 0
	}
	from := max(h.at, info.Size()-readLimit)
	b := make([]byte, info.Size()-from)
	n, _ := f.ReadAt(b, from)
	b = b[:bytes.LastIndexByte(b[:n], '\n')+1]
	if from > h.at { // perhaps in the midst of a line
		skip := bytes.IndexByte(b, '\n') + 1
		b, from = b[skip:], from+int64(skip)
	}
	h.at = from + int64(len(b))
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		h.lines = append(h.lines, line)
		if !slices.ContainsFunc(routine, func(r string) bool { return strings.Contains(line, r) }) {
			h.last, h.grown = line, time.Now()
		}
	}
	h.lines = slices.Delete(h.lines, 0, max(0, len(h.lines)-kept))
}
