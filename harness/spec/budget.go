package spec

import "reflect"

// spend is what a run may spend: the command line's limits, which are flags of the same options, override the spec's.
func spend(f *file, spec, over Spending) Spending {
	into := reflect.ValueOf(&spec).Elem()
	for o := range options(reflect.ValueOf(&over).Elem()) {
		if o.IsZero() {
			continue
		}
		if message := fault(o.tag, o.Value); message != "" {
			f.fault("--budget-"+o.key+": "+message, o.tag.Get("fix"))
		}
		for to := range options(into) {
			if to.key == o.key {
				to.Set(o.Value)
			}
		}
	}
	return spec
}
