package spec_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/spec"
)

// pricedTOML takes its prices from a file, but for the third model, which states its own.
const pricedTOML = `study = "priced"
cost  = { model = "price", prices = "prices.toml" }

[[models]]
name    = "small"
backend = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }
[[models]]
name    = "large"
id      = "owner/large"
backend = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }
[[models]]
name      = "own"
backend   = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }
price_in  = 7
price_out = 8
currency  = "EUR"

[[datasets]]
name   = "reviews"
source = "builtin:reviews"

[[pools]]
models = ["small", "large", "own"]
`

const prices = `date = "2026-01-31"
currency = "EUR"
[models.small]
price_in  = 1
price_out = 2
[models."owner/large"]
price_in  = 3
price_out = 4.5
[models.own]
price_in  = 99
price_out = 99
`

// Prices come from the file by a model's name or id, where the model states none; the date and the
// hash are the study's.
func TestPriceFile(t *testing.T) {
	load := func(prices string) (*spec.Study, error) {
		return spec.LoadFS(fstest.MapFS{"study.toml": {Data: []byte(pricedTOML)}, "prices.toml": {Data: []byte(prices)}},
			"study.toml", options())
	}
	s, err := load(prices)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range [][2]float64{{1, 2}, {3, 4.5}, {7, 8}} {
		if m := s.Models[k]; m.PriceIn != want[0] || m.PriceOut != want[1] || !m.Priced || m.Currency != "EUR" {
			t.Errorf("%s costs %v and %v %s, want %v EUR", m.Name, m.PriceIn, m.PriceOut, m.Currency, want)
		}
	}
	if p := s.Cost.Prices; p.File != "prices.toml" || p.Date != "2026-01-31" || len(p.Hash) != 64 {
		t.Errorf("prices %+v", p)
	}
	if other, err := load(prices + "\n# a comment\n"); err != nil || other.Hash == s.Hash {
		t.Errorf("another file of prices gives the same study: %v", err)
	}
	_, err = spec.LoadFS(fstest.MapFS{"study.toml": {Data: []byte(pricedTOML)}}, "study.toml", options())
	if err == nil || !strings.Contains(err.Error(), "cost.prices") {
		t.Errorf("without the file: %v", err)
	}
}
