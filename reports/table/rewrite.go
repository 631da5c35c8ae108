package table

import "slices"

// Rename gives names that the table shows their titles. CSV files keep the names.
func (t *Table) Rename(title func(name string) string) {
	renamed := func(text Text) Text {
		text = slices.Clone(text)
		for i, p := range text {
			if p.kind == name {
				text[i].str = title(p.str)
			}
		}
		return text
	}
	t.rewrite(func(c Cell) Cell {
		c.Text = renamed(c.Text)
		return c
	})
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].Head = renamed(t.Columns[i].Head)
	}
	t.Caption = renamed(t.Caption)
	for i := range t.Remarks {
		t.Remarks[i] = renamed(t.Remarks[i])
	}
}

// Bare takes away what a table says beside its numbers: bold type, footnotes and remarks.
func (t *Table) Bare() {
	t.rewrite(func(c Cell) Cell {
		c.Text, c.Marks = slices.Clone(c.Text), nil
		for i := range c.Text {
			c.Text[i].bold = false
		}
		return c
	})
	t.Remarks, t.bare = nil, true
}

// rewrite changes the cells that readers see.
func (t *Table) rewrite(cell func(Cell) Cell) {
	if t.Data == nil {
		t.Data = t.Groups
	}
	groups := make([][]Row, len(t.Groups))
	for g, group := range t.Groups {
		for _, row := range group {
			changed := make(Row, len(row))
			for i, c := range row {
				changed[i] = cell(c)
			}
			groups[g] = append(groups[g], changed)
		}
	}
	t.Groups = groups
}

// notes are the footnotes that readers see; CSV files name their kinds all the same.
func (t *Table) notes() []Note {
	if t.bare {
		return nil
	}
	return t.Notes
}

// Called is what settings and pages call the column.
func (c *Column) Called() string {
	if c.Name == "" && len(c.Fields) > 0 {
		return c.Fields[0]
	}
	return c.Name
}
