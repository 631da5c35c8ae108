package published

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"infnet/harness/seed"
)

// Deferrals is the number of records that the published random row defers: one
// draw of NumPy's generator per record, deferred where it is below one half.
func Deferrals(start uint64, n int) int {
	random, deferred := seed.NewNumPy(start), 0
	for range n {
		if random.Float64() < 0.5 {
			deferred++
		}
	}
	return deferred
}

// Seed is that of the published random rows.
func (b *Book) Seed() (uint64, error) {
	digits, ok := strings.CutPrefix(b.Protocol["random"], "numpy:")
	seed, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("protocol.csv: random %q is no numpy:SEED", b.Protocol["random"])
	}
	return seed, nil
}

// Draw compares a group's random row with the draw that it comes from.
type Draw struct {
	Group        *Group
	None, Random Row
	Records      int     // of the test part
	Deferred     int     // by the draw
	Fits         bool    // the printed difference is that of the draw
	Implied      float64 // saving of the None row that the random row and the draw imply
}

// Draws compares the random rows of all groups that have one.
func (b *Book) Draws() ([]Draw, error) {
	seed, err := b.Seed()
	if err != nil {
		return nil, err
	}
	var out []Draw
	for _, g := range b.Groups() {
		none, ok := g.Row(None)
		random, also := g.Row(Random)
		if !ok || !also {
			continue
		}
		d := Draw{Group: g, None: none, Random: random, Records: b.Dataset(g.Dataset).Tests()}
		d.Deferred = Deferrals(seed, d.Records)
		d.Fits = d.FitsDraw(d.Deferred, d.Records)
		d.Implied = random.Saved.Value + 100*float64(d.Deferred)/float64(d.Records)
		out = append(out, d)
	}
	return out, nil
}

// FitsDraw reports whether the random row costs what deferring so many of n
// records costs, within a unit of each number's last digit: some of them are
// cut and not rounded.
func (d *Draw) FitsDraw(deferred, n int) bool {
	off := d.None.Saved.Value - d.Random.Saved.Value - 100*float64(deferred)/float64(n)
	return math.Abs(off) <= d.None.Saved.Unit+d.Random.Saved.Unit+1e-9
}

// Likely is the None row's saving: the printed one where the random row fits,
// else the implied one, which is known as exactly as the random row's.
func (d *Draw) Likely() Number {
	if d.Fits {
		return d.None.Saved
	}
	return Number{Text: strconv.FormatFloat(d.Implied, 'f', 2, 64), Value: d.Implied, Unit: 0}
}
