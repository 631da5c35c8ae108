package spec

import (
	"fmt"
	"regexp"
	"slices"

	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// published checks the name of the table that results stand against.
func (l *loader) published(f *file, name *string, s *Study) {
	if name == nil {
		return
	}
	known := l.options.Published
	if !slices.Contains(known, *name) {
		hint := "there are none here"
		if len(known) > 0 {
			hint = place.Suggest(*name, known) + " (infnet published lists them)"
		}
		l.bad(f, "report.published", fmt.Sprintf("no published table %q", *name), hint)
		return
	}
	s.Report.Published = *name
}

// languages is a direction of translation: two codes of ISO 639.
var languages = regexp.MustCompile(`^[a-z]{2,3}-[a-z]{2,3}$`)

// direction checks from which language into which a dataset translates.
func (c *setting) direction() {
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
