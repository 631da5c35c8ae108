package spec

import (
	"fmt"
	"regexp"

	"infnet/harness/task"
)

// languages is a direction of translation: two codes of ISO 639.
var languages = regexp.MustCompile(`^[a-z]{2,3}-[a-z]{2,3}$`)

// direction checks from which language into which a dataset translates.
func (c *datasetCheck) direction() {
	d := c.raw.Direction
	switch {
	case d == nil:
	case c.out.Task != task.Translation:
		c.wrong("direction", fmt.Sprintf("a task of %s has no direction", c.out.Task), "leave it out")
	case !languages.MatchString(*d):
		c.wrong("direction", fmt.Sprintf("%q does not name two languages", *d), "from German into English is \"de-en\"")
	default:
		c.out.Direction = *d
	}
}
