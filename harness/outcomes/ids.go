package outcomes

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"strconv"

	"infnet/harness/dataset/files"
)

// ids are those of the rows: a column's cells, texts of their own, or row numbers.
type ids struct {
	cells *files.Cells
	texts []string
}

func (d *ids) at(i int) string {
	switch {
	case d.cells != nil:
		text, _ := d.cells.Text(i)
		return text
	case d.texts != nil:
		return d.texts[i]
	}
	return strconv.Itoa(i + 1)
}

// readIDs reads the ids, where a column has them.
func (l *Log) readIDs(p *problem) {
	if l.Columns.ID == "" {
		return
	}
	n := l.file.table.Rows
	l.ids.cells = l.file.table.Cells(l.Columns.ID)
	for i := range n {
		if l.ids.cells != nil {
			if _, ok := l.ids.cells.Text(i); ok {
				continue
			}
		}
		l.ids.cells = nil
		l.ids.texts = column(l, p, l.Columns.ID, [2]int{idCell, idCell},
			func(text string) (string, error) { return text, nil })
		n = len(l.ids.texts)
		break
	}
	if first, again := l.ids.twice(n); again >= 0 {
		p.found(again, idAgain, fmt.Errorf("row %d has the id %q of row %d: a query counts once; leave one out, name "+
			"another column with --id, or where %s is what several queries share, name it with --group", again+1,
			l.ids.at(again), first+1, l.Columns.ID))
	}
}

// twice returns the first of n rows that has the id of an earlier one, and that one; again is -1 where none has.
func (d *ids) twice(n int) (first, again int) {
	// A slot holds half the hash of an id and its row, counted from 1.
	shift := 64 - bits.Len(uint(2*n))
	slots := make([]uint64, 1<<(64-shift))
	seed := maphash.MakeSeed()
	for i := range n {
		id := d.at(i)
		hash := maphash.String(seed, id)
		half := hash << 32
		for at := int(hash >> shift); ; at = (at + 1) & (len(slots) - 1) {
			if slots[at] == 0 {
				slots[at] = half | uint64(i+1)
				break
			}
			if slots[at]&^(1<<32-1) == half {
				if row := int(slots[at]&(1<<32-1)) - 1; d.at(row) == id {
					return row, i
				}
			}
		}
	}
	return -1, -1
}
