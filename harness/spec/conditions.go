package spec

import (
	"fmt"

	"infnet/harness/spec/place"
)

// checkConditions finds the datasets to leave out: those whose if_set names an environment variable
// that is not set.
func checkConditions(datasets definitions) {
	for _, d := range datasets {
		name := d.dataset().IfSet
		if name == nil {
			continue
		}
		if !place.IsVariable(*name) {
			d.wrong("if_set", fmt.Sprintf("%q is no name of an environment variable", *name),
				"write the name alone, such as INFNET_DATA")
			continue
		}
		d.file.variables[*name] = true
		if value, set := d.file.getenv(*name); !set || value == "" {
			d.absent = *name
		}
	}
}

// leftOut lists the datasets that are left out, so that the tables can say that they are
// incomplete.
func leftOut(datasets definitions) []string {
	var out []string
	for _, d := range datasets {
		if d.absent == "" || !d.used {
			continue
		}
		out = append(out, d.name)
		d.file.warn(d.at+".if_set", fmt.Sprintf("the dataset %q is left out: the environment variable %s is not set", d.name,
			d.absent),
			fmt.Sprintf("set it, for example: export %s=/path/to/folder", d.absent))
	}
	return out
}
