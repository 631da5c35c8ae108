package cli

import (
	"context"
	"fmt"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
)

// commands prints how a run would start the servers of each study's models.
func (c *planCommand) commands(ctx context.Context, s *streams) error {
	any := false
	for _, name := range c.Specs {
		st, err := c.open(ctx, s, name)
		if err != nil {
			return err
		}
		for _, start := range pipeline.Starts(ctx, st.Study) {
			any = true
			fmt.Fprintf(s.out, "# %s\n", clean(start.Model))
			for _, command := range start.Commands {
				fmt.Fprintln(s.out, clean(command))
			}
		}
	}
	if !any {
		return fault.Usage.Wrap(fmt.Errorf("no model of %s has servers that a run starts: their backends have no "+
			"launch table",
			c.Specs[0]))
	}
	return nil
}
