package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"infnet/harness/dataset/builtin"
	"infnet/harness/fault"
)

// dataCommand prints a built-in stream.
type dataCommand struct {
	Source string `arg:"" help:"builtin:NAME; NAME is one of reviews, tickets, lookup, phrasebook."`
	Stream string `help:"study (what studies measure on) or train (shares no text with it)." enum:"study,train" default:"study"`
	N      int    `short:"n" help:"Rows, from 1 to 1,000,000." default:"10"`
	Seed   uint64 `help:"Seed of the draw; studies use their own seed." default:"42"`
}

// dataRow is one line of the output.
type dataRow struct {
	ID         string            `json:"id"`
	Fields     map[string]string `json:"fields"`
	Class      *int              `json:"class,omitempty"`
	Label      string            `json:"label,omitempty"`
	References []string          `json:"references,omitempty"`
	Group      string            `json:"group,omitempty"`
}

func (c *dataCommand) Run(_ context.Context, s *streams) error {
	name, ok := strings.CutPrefix(c.Source, "builtin:")
	if !ok {
		return fault.Usage.Wrap(fmt.Errorf("data prints built-in datasets: want builtin:NAME, not %q; NAME is one of %s",
			c.Source, strings.Join(builtin.Names(), ", ")))
	}
	source, err := builtin.Lookup(name)
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	if c.N < 1 || c.N > builtin.MaxRows {
		return fault.Usage.Wrap(fmt.Errorf("-n %d: want 1 to %d rows", c.N, builtin.MaxRows))
	}
	examples, err := source.Examples(builtin.Stream(c.Stream), c.Seed, c.N)
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	w := bufio.NewWriter(s.out)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, e := range examples {
		row := dataRow{ID: e.ID, Fields: e.Fields, References: e.References, Group: e.Group}
		if e.Class >= 0 {
			row.Class = &e.Class
			row.Label = source.Labels[e.Class].Class
		}
		if err := encoder.Encode(row); err != nil {
			return fmt.Errorf("print %s: %w", c.Source, err)
		}
	}
	return w.Flush()
}
