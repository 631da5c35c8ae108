package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"infnet/backends"
	"infnet/harness/cost"
)

type oneCurrency struct {
	first string
	why   string // the end of the message
}

func (c *oneCurrency) check(d *definition, m *Model) {
	if c.first == "" {
		c.first = m.Currency
	}
	if m.Currency != c.first {
		d.wrong("currency", fmt.Sprintf("prices in %s next to prices in %s %s", m.Currency, c.first, c.why),
			"give all prices of a study in one currency")
	}
}

// inUse calls a function for every model of the cascades, with its definition.
func inUse(s *Study, models definitions, f func(*definition, *Model)) {
	for _, d := range models {
		if m, ok := s.Model(d.name); ok && d.used {
			f(d, m)
		}
	}
}

func checkPrices(s *Study, main *file, models definitions) {
	currency := &oneCurrency{why: "cannot be compared"}
	inUse(s, models, func(d *definition, m *Model) {
		k, can := kindOf(m.Config.Model.Kind), m.Config.Traits()
		if can.Answers && !can.Tokens && s.Cost.Model != cost.Latency && s.Cost.Model != cost.Fixed {
			d.wrong("backend", fmt.Sprintf("%s counts no tokens, and cost.model is %q", k.title, s.Cost.Model),
				"set cost.model = \"latency\", or \"fixed\" and a fixed_cost for every model")
			return
		}
		switch s.Cost.Model {
		case cost.Price:
			checkPriced(s, d, m)
			if m.Priced {
				currency.check(d, m)
			}
		case cost.Recorded:
			if m.Recording == nil && m.Config.Model.Kind != "" {
				d.wrong("backend", "cost.model = \"recorded\", and this model's answers are not recorded: nobody wrote down "+
					"what they cost", "name its file, answers = …, or use another cost.model")
			}
			currency.check(d, m)
		case cost.Fixed:
			if m.Fixed == nil {
				d.missing("fixed_cost", "cost.model = \"fixed\" needs it of every model in use")
			} else if *m.Fixed == 0 {
				d.wrong("fixed_cost", "an answer that costs nothing", "savings are relative to costs: give a number above zero")
			}
		case cost.TFLOPs:
			if k != nil && k.unshaped[0] != "" && m.Shape == nil && !hasConfig(d, m) {
				if k.unshaped[1] == "" {
					d.missing(k.unshaped[0], k.unshaped[2])
				} else {
					d.wrong(k.unshaped[0], k.unshaped[1], k.unshaped[2])
				}
			}
		}
		if s.Cost.Summary == cost.Signature {
			checkParams(d, m)
		}
	})
}

// checkParams checks the number of parameters that the signature needs.
func checkParams(d *definition, m *Model) {
	if m.Params > 0 && m.Params < 1 {
		d.wrong("params", fmt.Sprintf("%v billion parameters with cost.summary = \"signature\": it is undefined below one "+
			"billion, where its factor turns negative", m.Params), "use summary = \"mean\" or \"median\"")
	}
	wrong := m.Shape == nil && m.ShapeOf != "" // reported, and perhaps a known one
	counted := m.Config.Model.Kind == backends.Local || hasConfig(d, m)
	if m.Params == 0 && !counted && m.Config.Model.Kind != "" && !wrong {
		d.missing("params", "cost.summary = \"signature\" needs the number of parameters, in billions: params = 4")
	}
}

// checkPriced checks that a model has prices. Tokens of a student whose server the study starts, or that answers in
// this process, are billed by nobody: it may have none, and costs nothing.
func checkPriced(s *Study, d *definition, m *Model) {
	master := slices.ContainsFunc(s.Cascades, func(c Cascade) bool { return slices.Index(c.Models, m.Name) > 0 }) ||
		slices.ContainsFunc(s.Pools, func(p Pool) bool { return slices.Contains(p.Models, m.Name) }) // anybody may be second
	r, served := m.Config.Remote()
	unbilled := !served && m.Recording == nil || r.Launch != nil // the study runs it itself
	for _, key := range []string{"price_in", "price_out"} {
		free := key == "price_out" && m.Config.Model.Kind == backends.Decisions
		if !m.Priced && !free && !d.has(key) && (master || !unbilled) {
			d.missing(key, "cost.model = \"price\" needs the prices of every model in use, per million tokens; only a "+
				"student that the study runs itself may have none, and costs nothing")
		}
	}
	if m.Priced && m.PriceIn == 0 && m.PriceOut == 0 && master {
		d.wrong("price_in", "both prices are zero", "savings are relative to the master's prices: give one above zero")
	}
}

// checkSpending checks that what a run may spend is counted: tokens by every
// server in use, money by their prices, in one currency.
func checkSpending(s *Study, models definitions) {
	b, currency := s.Collect.Spending, &oneCurrency{why: "make no sum, and the budget limits it"}
	inUse(s, models, func(d *definition, m *Model) {
		k, can := kindOf(m.Config.Model.Kind), m.Config.Traits()
		r, _ := m.Config.Remote()
		launched := r.Launch != nil // nobody bills its tokens
		if can.Remote && !can.Tokens && (b.Tokens > 0 || b.Cost > 0) {
			d.wrong("backend", k.title+" counts no tokens, and the budget limits them or their price",
				"limit the time instead: [collect] budget = { time = \"1h\" }")
		}
		switch {
		case b.Cost <= 0:
		case m.Priced:
			currency.check(d, m)
		case can.Remote && can.Tokens && !launched:
			d.missing("price_in", "a budget of money needs price_in and price_out of every model behind a server that the "+
				"study does not start, per million tokens; 0 where it costs nothing")
		}
	})
}

// PriceFile is a list of prices as it was on a day.
type PriceFile struct {
	File     string // as the spec writes it
	Date     string // as in 2026-01-31
	Hash     string // SHA-256 of the file, hexadecimal
	Currency string

	models map[string]*rawPrices
}

type rawPriceFile struct {
	Date     string                `toml:"date" need:"prices change: date = \"2026-01-31\""`
	Currency string                `toml:"currency"`
	Models   map[string]*rawPrices `toml:"models" need:"[models.NAME] with price_in and price_out, per million tokens"`
}

type rawPrices struct {
	In  float64 `toml:"price_in" need:"currency per million input tokens" range:"0 or more"`
	Out float64 `toml:"price_out" need:"currency per million output tokens" range:"0 or more"`
}

func readPrices(f *file, written string) *PriceFile {
	const key = "cost.prices"
	where, ok := f.path(key, written)
	if !ok {
		return nil
	}
	data, err := f.fsys.read(where)
	if err != nil {
		f.wrong(key, err.Error(), "a TOML file with date, currency and [models.NAME]")
		return nil
	}
	in := &file{report: f.report, name: written, where: where, study: true}
	var raw rawPriceFile
	if !in.parse(data, &raw) {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, raw.Date); err != nil && raw.Date != "" {
		in.wrong("date", fmt.Sprintf("the date %q is not as in 2026-01-31", raw.Date), "")
	}
	sum := sha256.Sum256(data)
	return &PriceFile{File: written, Date: raw.Date, Hash: hex.EncodeToString(sum[:]),
		Currency: cmp.Or(raw.Currency, defaultCurrency), models: raw.Models}
}

// apply gives models without prices of their own those of the file, by their name in
// the study or their id.
func (p *PriceFile) apply(models definitions) {
	if p == nil {
		return
	}
	for _, d := range models {
		m := d.model()
		prices := cmp.Or(p.models[d.name], p.models[m.ID])
		if prices != nil && !d.has("price_in") && !d.has("price_out") {
			m.PriceIn, m.PriceOut, m.Currency, m.Priced = prices.In, prices.Out, p.Currency, true
		}
	}
}
