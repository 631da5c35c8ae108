package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Sizes of a log, in bytes. It holds the beginning of a run, and of the rest the
// last part, of between tailSize and twice that.
const (
	headSize = 1 << 20
	tailSize = 4 << 20
	noteSize = 80
)

// openLog opens a log to append to. One that has grown to its limit over several
// runs makes room, and is kept as LOG.old.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("no folder for its log: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > headSize+tailSize {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("making room for its log: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("its log cannot be written: %w", err)
	}
	return f, nil
}

// bounded is a log of bounded size: what does not fit is left out between its
// beginning and its end, and a line there says how much.
type bounded struct {
	f     *os.File
	size  int64 // of the file
	limit int64 // the beginning ends before it
	head  int64 // length of the beginning
	gap   bool  // something was left out: a note follows the beginning
	left  int64 // bytes left out
	noted int64 // those of them that the note counts
}

func newBounded(f *os.File) *bounded {
	b := &bounded{f: f}
	if info, err := f.Stat(); err == nil {
		b.size = info.Size()
	}
	b.head, b.limit = b.size, b.size+headSize
	return b
}

// end is where the end of the output begins.
func (b *bounded) end() int64 {
	if b.gap {
		return b.head + noteSize
	}
	return b.head
}

// write appends whole lines. What a full disk does not take is left out.
func (b *bounded) write(text []byte) {
	n, err := b.f.Write(text)
	b.size += int64(n)
	if err != nil {
		b.left += int64(len(text) - n)
	}
	if !b.gap && b.size <= b.limit {
		b.head = b.size
	}
	if b.size-b.end() > 2*tailSize {
		b.compact(b.size - tailSize)
	}
}

// skip notes that output is missing at this point. The log has one gap, so
// nothing between its beginning and this point is kept.
func (b *bounded) skip(missing int64) {
	b.left += missing
	if !b.gap {
		b.head = b.size
	}
	b.compact(b.size)
}

// finish makes the note count everything.
func (b *bounded) finish() {
	if b.left != b.noted {
		b.compact(b.end())
	}
	_ = b.f.Close()
}

// compact keeps the beginning and, from a line's start at or after from, the
// end.
func (b *bounded) compact(from int64) {
	keep := make([]byte, b.size-from)
	n, _ := b.f.ReadAt(keep, from)
	keep = keep[:n]
	if from > b.end() {
		at := bytes.IndexByte(keep, '\n') + 1
		keep, from = keep[at:], from+int64(at)
	}
	b.left += from - b.end()
	note := fmt.Sprintf("[infnet: %d bytes of output left out here]", b.left)
	whole := append(fmt.Appendf(nil, "%-*s\n", noteSize-1, note), keep...)
	if b.f.Truncate(b.head) != nil {
		return
	}
	n, _ = b.f.Write(whole)
	b.gap, b.noted, b.size = true, b.left, b.head+int64(n)
}
