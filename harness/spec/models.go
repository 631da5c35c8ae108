package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/cost"
)

// model checks one model.
func (l *loader) model(d *definition, s *Study) Model {
	r := &d.file.raw.Models[d.i]
	m := Model{
		Name:     d.name,
		Mode:     backends.Mode(or(r.Mode, rawMode(defaultMode))),
		PriceIn:  l.atLeastZero(d, "price_in", r.PriceIn),
		PriceOut: l.atLeastZero(d, "price_out", r.PriceOut),
		Priced:   r.PriceIn != nil && r.PriceOut != nil,
		Currency: or(r.Currency, defaultCurrency),
		Params:   or(r.Params, 0),
	}
	m.Config.Model = backends.ModelID{ID: or(r.ID, d.name)}
	for _, k := range []struct {
		key string
		p   *string
	}{{"id", r.ID}, {"currency", r.Currency}} {
		if k.p != nil && *k.p == "" {
			l.bad(d.file, join(d.at, k.key), "the text is empty", "leave the key out")
		}
	}
	if r.FixedCost != nil {
		fixed := l.atLeastZero(d, "fixed_cost", r.FixedCost)
		m.Fixed = &fixed
	}
	if r.Params != nil && m.Params <= 0 {
		l.bad(d.file, d.at+".params", fmt.Sprintf("%v billion parameters", m.Params), "parameters in billions: params = 1.5; leave it out where unknown")
	}
	if r.Backend == nil {
		l.missing(d.file, d.at, "backend", "want one of local, simulated")
		return m
	}
	m.Config.Model.Kind = backends.Kind(*r.Backend)
	switch m.Config.Model.Kind {
	case backends.Local:
		l.local(d, r, &m)
	case backends.Simulated:
		l.simulated(d, r, &m, s.Seed)
	}
	return m
}

func (l *loader) local(d *definition, r *rawModel, m *Model) {
	if r.Simulated != nil {
		l.bad(d.file, d.at+".simulated", "a local model simulates nothing", "leave it out, or set backend = \"simulated\"")
	}
	if r.Path == nil {
		l.missing(d.file, d.at, "path", "the folder with config.json, *.safetensors and tokenizer.model")
		return
	}
	m.Path, m.FS = *r.Path, l.place.system()
	if name, ok := strings.CutPrefix(*r.Path, "builtin:"); ok {
		l.builtinModel(d, m, name)
		return
	}
	where, ok := l.path(d.file, d.at+".path", *r.Path)
	if !ok {
		return
	}
	m.Config.Local = &backends.LocalConfig{Path: where}
	if info, err := l.place.stat(where); err != nil {
		l.bad(d.file, d.at+".path", fmt.Sprintf("cannot find the model folder %s: %s", where, reason(err)), "paths are relative to the file they stand in")
	} else if !info.IsDir() {
		l.bad(d.file, d.at+".path", fmt.Sprintf("%s is a file", where), "name the folder that holds config.json")
	}
}

// builtinModel finds a model that comes with infnet.
func (l *loader) builtinModel(d *definition, m *Model, name string) {
	var names []string
	if l.options.Models != nil {
		entries, _ := fs.ReadDir(l.options.Models, ".")
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	if !slices.Contains(names, name) {
		hint := "there are none here; name a folder"
		if len(names) > 0 {
			hint = suggest(name, names)
		}
		l.bad(d.file, d.at+".path", fmt.Sprintf("no built-in model %q", name), hint)
		return
	}
	m.FS = l.options.Models
	m.Config.Local = &backends.LocalConfig{Path: name}
}

func (l *loader) simulated(d *definition, r *rawModel, m *Model, seed uint64) {
	if r.Path != nil {
		l.bad(d.file, d.at+".path", "a simulated model has no folder", "leave it out, or set backend = \"local\"")
	}
	if r.Simulated == nil {
		l.missing(d.file, d.at, "simulated", "simulated = { alpha = 4, beta = 2, intercept = 0.6, slope = -0.6 }")
		return
	}
	q, at := r.Simulated, d.at+".simulated"
	for _, k := range []struct {
		key string
		p   *float64
	}{{"alpha", q.Alpha}, {"beta", q.Beta}, {"intercept", q.Intercept}} {
		if k.p == nil {
			l.missing(d.file, at, k.key, "")
		} else if k.key != "intercept" && *k.p <= 0 {
			l.bad(d.file, join(at, k.key), fmt.Sprintf("the shape %v of a Beta distribution", *k.p), "shapes are above zero")
		}
	}
	m.Config.Simulated = &backends.SimulatedConfig{
		Alpha: or(q.Alpha, 1), Beta: or(q.Beta, 1), Intercept: or(q.Intercept, 0), Slope: or(q.Slope, 0),
		Rho: l.share(d.file, at+".rho", q.Rho, 0), Params: m.Params, Seed: seed,
	}
	m.Config.Model.Revision = distribution(*m.Config.Simulated)
}

// distribution is the revision of a simulated model: equal for equal
// distributions, so that no answer of one is taken for another's.
func distribution(c backends.SimulatedConfig) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "infnet simulated 1 %x %x %x %x %x %x %d", c.Alpha, c.Beta, c.Intercept, c.Slope, c.Rho, c.Params, c.Seed))
	return hex.EncodeToString(sum[:16])
}

func (l *loader) atLeastZero(d *definition, key string, p *float64) float64 {
	v := or(p, 0)
	if v < 0 || math.Signbit(v) {
		l.bad(d.file, join(d.at, key), fmt.Sprintf("%v is negative", v), "zero or more")
	}
	return v
}

// costs checks that every model in use says what the cost model asks.
func (l *loader) costs(s *Study, models []*definition) {
	currency := ""
	for _, d := range models {
		i := slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == d.name })
		if !d.used || i < 0 {
			continue
		}
		m := &s.Models[i]
		switch s.Cost.Model {
		case cost.Price:
			l.prices(d, m)
			switch {
			case !m.Priced:
			case currency == "":
				currency = m.Currency
			case m.Currency != currency:
				l.bad(d.file, d.at+".currency", fmt.Sprintf("prices in %s beside prices in %s cannot be compared", m.Currency, currency), "give all prices of a study in one currency")
			}
		case cost.Fixed:
			if m.Fixed == nil {
				l.missing(d.file, d.at, "fixed_cost", "cost.model = \"fixed\" needs it of every model in use")
			} else if *m.Fixed == 0 {
				l.bad(d.file, d.at+".fixed_cost", "an answer that costs nothing", "savings are relative to costs: give a number above zero")
			}
		case cost.TFLOPs:
			if m.Config.Model.Kind == backends.Simulated {
				l.bad(d.file, d.at+".backend", "a simulated model has no network whose FLOPs could be counted, and cost.model is \"tflops\"", "set cost.model = \"fixed\" and a fixed_cost for every model, or \"tokens\"")
			}
		}
		if s.Cost.Summary == cost.Signature && m.Params > 0 && m.Params < 1 {
			l.bad(d.file, d.at+".params", fmt.Sprintf("%v billion parameters with cost.summary = \"signature\": it is undefined below one billion, where its factor turns negative", m.Params), "use summary = \"mean\" or \"median\"")
		}
	}
}

func (l *loader) prices(d *definition, m *Model) {
	r := &d.file.raw.Models[d.i]
	for _, k := range []struct {
		key string
		p   *float64
	}{{"price_in", r.PriceIn}, {"price_out", r.PriceOut}} {
		if k.p == nil {
			l.missing(d.file, d.at, k.key, "cost.model = \"price\" needs the prices of every model in use, per million tokens")
		}
	}
	if m.Priced && m.PriceIn == 0 && m.PriceOut == 0 {
		l.bad(d.file, d.at+".price_in", "both prices are zero", "savings are relative to prices: give one above zero")
	}
}
