package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// PriceFile is a list of prices as it was on a day.
type PriceFile struct {
	File     string // as the spec writes it
	Date     string // as in 2026-01-31
	Hash     string // SHA-256 of the file, hexadecimal
	Currency string

	models map[string]rawPrices
}

type rawPriceFile struct {
	Date     *string              `toml:"date"`
	Currency *string              `toml:"currency"`
	Models   map[string]rawPrices `toml:"models"`
}

type rawPrices struct {
	In     *float64 `toml:"price_in"`
	Out    *float64 `toml:"price_out"`
	Cached *float64 `toml:"price_cached"`
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
	var raw rawPriceFile
	meta, err := toml.Decode(string(data), &raw)
	if err != nil {
		f.wrong(key, fmt.Sprintf("%s is no file of prices: %v", written, err), "")
		return nil
	}
	var wrong []string
	for _, unknown := range meta.Undecoded() {
		wrong = append(wrong, fmt.Sprintf("the key %s is unknown", unknown))
	}
	if raw.Date == nil {
		wrong = append(wrong, "it has no date: prices change; date = \"2026-01-31\"")
	} else if _, err := time.Parse(time.DateOnly, *raw.Date); err != nil {
		wrong = append(wrong, fmt.Sprintf("the date %q is not as in 2026-01-31", *raw.Date))
	}
	if len(raw.Models) == 0 {
		wrong = append(wrong, "it has no prices: [models.NAME] with price_in and price_out, per million tokens")
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Models)) {
		p := raw.Models[name]
		if p.In == nil || p.Out == nil {
			wrong = append(wrong, fmt.Sprintf("models.%s lacks price_in or price_out", name))
		}
		for _, v := range []*float64{p.In, p.Out, p.Cached} {
			if v != nil && (!(*v >= 0) || math.IsInf(*v, 1)) {
				wrong = append(wrong, fmt.Sprintf("models.%s has the price %v, which is no number of 0 or more", name, *v))
			}
		}
	}
	if len(wrong) > 0 {
		f.wrong(key, fmt.Sprintf("%s: %s", written, strings.Join(wrong, "; ")), "")
		return nil
	}
	sum := sha256.Sum256(data)
	return &PriceFile{File: written, Date: *raw.Date, Hash: hex.EncodeToString(sum[:]),
		Currency: or(raw.Currency, defaultCurrency), models: raw.Models}
}

// apply gives models without prices of their own those of the file, by their name in
// the study or their id.
func (p *PriceFile) apply(models definitions) {
	if p == nil {
		return
	}
	for _, d := range models {
		r := d.model()
		if r.PriceIn != nil || r.PriceOut != nil || r.PriceCached != nil {
			continue
		}
		prices, ok := p.models[d.name]
		if !ok && r.ID != nil {
			prices, ok = p.models[*r.ID]
		}
		if ok {
			r.PriceIn, r.PriceOut, r.PriceCached, r.Currency = prices.In, prices.Out, prices.Cached, &p.Currency
		}
	}
}
