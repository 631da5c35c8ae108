package spec

import (
	"fmt"

	"infnet/harness/spec/place"
)

// conditions finds the datasets that this machine does without: those whose
// if_set names a variable that is not set here.
func (l *loader) conditions(datasets []*definition) {
	for _, d := range datasets {
		name := d.file.raw.Datasets[d.i].IfSet
		if name == nil {
			continue
		}
		if !place.IsVariable(*name) {
			l.bad(d.file, place.Join(d.at, "if_set"), fmt.Sprintf("%q is no name of an environment variable", *name), "write the name alone, such as INFNET_DATA")
			continue
		}
		if value, set := l.options.Getenv(*name); !set || value == "" {
			d.away = *name
		}
	}
}

// leftOut makes the study remember what it does without, so that nobody takes
// its tables for those of a machine that has everything.
func (l *loader) leftOut(s *Study, datasets []*definition) {
	for _, d := range datasets {
		if d.away == "" || !d.used {
			continue
		}
		s.LeftOut = append(s.LeftOut, d.name)
		l.warn(d.file, place.Join(d.at, "if_set"), fmt.Sprintf("the dataset %q is left out: the environment variable %s is not set", d.name, d.away),
			fmt.Sprintf("set it, for example: export %s=/path/to/folder", d.away))
	}
}
