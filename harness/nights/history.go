package nights

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"infnet/harness/regular"
)

// History is a history file as it was read.
type History struct {
	Path   string
	Nights []Night

	raw []byte // the file's bytes
}

// Read reads a history. A file that is not there is a history without nights.
func Read(path string) (*History, error) {
	raw, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &History{Path: path}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	h := &History{Path: path, raw: raw}
	if len(raw) > 0 && raw[len(raw)-1] != '\n' {
		return nil, h.bad(bytes.Count(raw, []byte("\n"))+1,
			"ends in the middle, so it was not written to its end: restore the "+
				"file from a copy, or delete this line if the copies end before it")
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n")) {
		if len(raw) == 0 {
			break
		}
		n, err := h.line(i+1, line)
		if err != nil {
			return nil, err
		}
		h.Nights = append(h.Nights, n)
	}
	return h, nil
}

// bad is the error of a line.
func (h *History) bad(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d %s: %w", h.Path, line, fmt.Sprintf(format, args...), ErrHistory)
}

// line reads a line, and checks that it follows those before it.
func (h *History) line(at int, line []byte) (n Night, err error) {
	var version struct {
		Version int    `json:"version"`
		Number  int    `json:"night"`
		Sum     string `json:"sum"`
	}
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return n, h.bad(at, "is the mark of a merge that is not finished: take one of the two versions; two histories "+
				"cannot be "+
				"put together, because each used the level")
		}
	}
	if err := json.Unmarshal(line, &version); err != nil {
		return n, h.bad(at, "is damaged (%v): restore the file from a copy", err)
	}
	if version.Version != Version {
		return n, h.bad(at, "has version %d, and this infnet reads %d: go on with the infnet that wrote it, or begin "+
			"another "+
			"history", version.Version, Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&n); err != nil {
		return n, h.bad(at, "is damaged (%v): restore the file from a copy", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return n, h.bad(at, "is damaged (text after its end): restore the file from a copy")
	}
	want, before := len(h.Nights)+1, ""
	if want > 1 {
		before = h.Nights[want-2].Sum
	}
	switch {
	case n.Number > want:
		return n, h.bad(at, "is night %d, and %s before it missing: restore the file from a copy; without it the looks that "+
			"were taken are not known", n.Number, missing(want, n.Number-1))
	case n.Number < want:
		return n, h.bad(at, "is night %d, which line %d is already: delete one of them, or restore the file from a copy",
			n.Number, n.Number)
	}
	if sum := n.sum(before); sum != n.Sum {
		return n, h.bad(at, "is not as it was written (its checksum is another one), or the line before it is not: "+
			"restore the "+
			"file from a copy")
	}
	return n, h.check(at, &n)
}

// missing names the nights from first to last.
func missing(first, last int) string {
	if first == last {
		return fmt.Sprintf("night %d is", first)
	}
	return fmt.Sprintf("nights %d to %d are", first, last)
}

// check refuses a line whose fields contradict those of the lines before. A checksum is right for whatever a program
// wrote; these are mistakes of the program, or of somebody who wrote checksums too.
func (h *History) check(at int, n *Night) error {
	if checkDate(n.Date) != nil || !(n.Alpha > 0 && n.Alpha < 1) || n.Study == "" || n.Look < 0 {
		return h.bad(at, "is damaged (its date, study, level or look is not one): restore the file from a copy")
	}
	if len(h.Nights) > 0 {
		first, last := h.Nights[0], h.Nights[len(h.Nights)-1]
		switch {
		case n.Study != first.Study:
			return h.bad(at, "is of study %q, and line 1 of %q: two histories were put together; keep them apart", n.Study,
				first.Study)
		case n.Date < last.Date:
			return h.bad(at, "is of %s, before %s of line %d: restore the file from a copy", n.Date, last.Date, at-1)
		}
	}
	if n.Like < 0 || n.Like >= n.Number {
		return h.bad(at, "repeats night %d, which is not before it: restore the file from a copy", n.Like)
	}
	if n.Look > 0 && math.Abs(n.Level/Share(n.Alpha, n.Look)-1) > 1e-9 {
		return h.bad(at, "is look %d and was tested at %v, which is not the share of that look: restore the file from a copy",
			n.Look, n.Level)
	}
	return nil
}

// sum is the checksum of a line that follows one with the checksum before.
func (n *Night) sum(before string) string {
	bare := *n
	bare.Sum = ""
	line, err := json.Marshal(&bare)
	if err != nil {
		panic("nights: a night that is no JSON: " + err.Error()) // add refuses those
	}
	h := sha256.New()
	h.Write([]byte(before + "\n"))
	h.Write(line)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Of returns the night with a number, following Like to the night that has the quantities.
func (h *History) Of(number int) *Night {
	i := slices.IndexFunc(h.Nights, func(n Night) bool { return n.Number == number })
	if i < 0 {
		return nil
	}
	if like := h.Nights[i].Like; like > 0 && h.Nights[like-1].Like == 0 {
		return &h.Nights[like-1]
	}
	return &h.Nights[i]
}

// six rounds to six significant digits. What is not a number becomes 0.
func six(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return 0
	}
	return y
}
