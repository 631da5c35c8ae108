package table

// Estimates calls f for each estimate that readers see: the cell that names its row, the head of its column, the name
// that it has in CSV files ("" = none), and its value with its interval.
func (t *Table) Estimates(f func(of *Cell, head, field string, n Number)) {
	visible := t.visible()
	of := max(t.rowHead(visible), 0)
	for _, groups := range [][][]Row{t.Groups, t.Data} {
		for _, group := range groups {
			for _, row := range group {
				for _, i := range visible {
					t.cellEstimates(row, of, i, f)
				}
			}
		}
	}
}

func (t *Table) cellEstimates(row Row, of, col int, f func(*Cell, string, string, Number)) {
	c, seen := &t.Columns[col], 0
	for _, p := range row.cell(col).Text {
		if p.kind != number {
			continue
		}
		field := ""
		if seen < len(c.Fields) {
			field = c.Fields[seen]
		}
		seen++
		if p.number.Estimate {
			f(&row[of], c.Head.format(func(p Part) string { return p.str }), field, p.number)
		}
	}
}
