package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// PriceFile is a list of prices as it was on a day.
type PriceFile struct {
	File     string // as the spec writes it
	Date     string // as in 2026-01-31
	Hash     string // SHA-256 of the file, hexadecimal
	Currency string

	models map[string]*rawPrices
}

// rawPriceFile is the form of such a file.
type rawPriceFile struct {
	Date     string                `toml:"date" need:"prices change: date = \"2026-01-31\""`
	Currency string                `toml:"currency"`
	Models   map[string]*rawPrices `toml:"models" need:"[models.NAME] with price_in and price_out, per million tokens"`
}

type rawPrices struct {
	In     float64  `toml:"price_in" need:"currency per million input tokens" range:"0 or more"`
	Out    float64  `toml:"price_out" need:"currency per million output tokens" range:"0 or more"`
	Cached *float64 `toml:"price_cached" range:"0 or more"`
}

// readPrices reads a file of prices; nil after a problem.
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
		if prices != nil && !d.has("price_in") && !d.has("price_out") && !d.has("price_cached") {
			m.PriceIn, m.PriceOut, m.PriceCached, m.Currency, m.Priced = prices.In, prices.Out, prices.Cached, p.Currency, true
		}
	}
}
