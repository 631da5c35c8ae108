package openai

import (
	"cmp"
	"fmt"
	"slices"

	"infnet/backends"
)

// Defaults of OpenAIConfig.
const (
	defaultTop = 20
	mostTop    = 10000
)

// complete fills in the defaults and refuses what cannot be meant.
func complete(c *backends.OpenAIConfig, id string) error {
	c.Served, c.Labels = cmp.Or(c.Served, id), cmp.Or(c.Labels, backends.LabelsAuto)
	c.Match = cmp.Or(c.Match, backends.MatchPrefix)
	c.MaxTokensField = cmp.Or(c.MaxTokensField, backends.LimitFields()[0])
	c.TopLogprobs = cmp.Or(c.TopLogprobs, defaultTop)
	if c.TopLogprobs < 1 || c.TopLogprobs > mostTop {
		return fmt.Errorf("top_logprobs = %d: want 1 to %d", c.TopLogprobs, mostTop)
	}
	if !slices.Contains(backends.LabelModes(), c.Labels) {
		return fmt.Errorf("label mode %q: want one of %v", c.Labels, backends.LabelModes())
	}
	if !slices.Contains(backends.LabelMatches(), c.Match) {
		return fmt.Errorf("label match %q: want one of %v", c.Match, backends.LabelMatches())
	}
	if c.NoLogprobs && c.Labels != backends.LabelsAuto && c.Labels != backends.LabelsText {
		return fmt.Errorf("label mode %q reads log-probabilities, and no_logprobs asks for none", c.Labels)
	}
	if c.WholeLabels && c.Labels != backends.LabelsEcho {
		return fmt.Errorf("whole labels are scored by label mode %q alone, not by %q", backends.LabelsEcho, c.Labels)
	}
	return nil
}
