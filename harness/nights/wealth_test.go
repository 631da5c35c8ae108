package nights

import (
	"encoding/base64"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/seed"
)

// The wealth is the mixture that its comment states, part by part.
func TestWealthIsTheMixture(t *testing.T) {
	rng := seed.Stream(1, "wealth")
	for range 50 {
		margin := 0.1 * rng.Float64()
		w := Wealth{Margin: margin, Effect: 0.1 * rng.Float64()}
		var nights [][]Step
		for range 1 + rng.IntN(6) {
			var steps []Step
			for range 1 + rng.IntN(4) {
				steps = append(steps, Step{2*rng.Float64() - 1, 1 + rng.IntN(3)})
			}
			nights = append(nights, steps)
			w.Night(steps)
			w.Night(nil) // nothing
			want := 1.0
			for first := range nights { // parts that begin with night first+1
				share := 1 / float64((first+1)*(first+2))
				want -= share
				for _, stake := range stakes {
					part := share / float64(len(stakes))
					for _, steps := range nights[first:] {
						records := 0
						for _, s := range steps {
							records += s.Count
						}
						shared := float64(records) * stake / (1 + margin) * w.Effect
						part /= math.Exp(shared * shared / 2)
						for _, s := range steps {
							part *= math.Pow(1+stake/(1+margin)*(s.Difference-margin), float64(s.Count))
						}
					}
					want += part
				}
			}
			if got := math.Exp(w.Log()); math.Abs(got-want) > 1e-9*want {
				t.Fatalf("wealth %v, want %v", got, want)
			}
		}
	}
}

// Nights that add τ or −τ to the mean of all their records, one as likely as the other: the expected wealth of two
// nights of twenty records d = ±1 is the sum over all outcomes. It is at most 1 where τ is stated, and above 1 where it
// is not.
func TestWealthUnderNightEffects(t *testing.T) {
	const n, tau = 20, 0.2
	expected := func(effect float64) (total float64) {
		var night [n + 1]float64 // probability of k records of d = 1
		for k := range night {
			choose, _ := math.Lgamma(n + 1)
			a, _ := math.Lgamma(float64(k + 1))
			b, _ := math.Lgamma(float64(n - k + 1))
			for _, mean := range []float64{-tau, tau} {
				night[k] += math.Exp(choose-a-b) * math.Pow((1+mean)/2, float64(k)) * math.Pow((1-mean)/2, float64(n-k)) / 2
			}
		}
		for i, p := range night {
			for j, q := range night {
				w := Wealth{Effect: effect}
				w.Night([]Step{{-1, n - i}, {1, i}})
				w.Night([]Step{{-1, n - j}, {1, j}})
				total += p * q * math.Exp(w.Log())
			}
		}
		return total
	}
	if with, without := expected(tau), expected(0); with > 1 || without < 1.5 {
		t.Errorf("expected wealth %v with the effect stated, %v without; want at most 1, and far above", with, without)
	}
}

// With d in {−1, 0, 1} of mean 0 the expected wealth is exactly 1 after any number of records: all outcomes, weighted.
func TestWealthIsFair(t *testing.T) {
	const p = 0.3 // of −1, and of 1
	total := 0.0
	var walk func(w Wealth, night int, weight float64)
	walk = func(w Wealth, night int, weight float64) {
		if night == 4 {
			total += weight * math.Exp(w.Log())
			return
		}
		for i, one := range []float64{p, 1 - 2*p, p} {
			for j, other := range []float64{p, 1 - 2*p, p} {
				next := w // two records a night
				next.Night([]Step{{float64(i - 1), 1}, {float64(j - 1), 1}})
				walk(next, night+1, weight*one*other)
			}
		}
	}
	walk(Wealth{}, 0, 1)
	if math.Abs(total-1) > 1e-12 {
		t.Errorf("expected wealth %v, want 1", total)
	}
}

func TestAnytimeP(t *testing.T) {
	for _, tt := range []struct{ log, want float64 }{{0, 1}, {-5, 1}, {math.Log(20), 0.05}} { // 1/20
		if got := AnytimeP(tt.log); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("AnytimeP(%v) = %v, want %v", tt.log, got, tt.want)
		}
	}
}

func fresh(date string) Tonight {
	n := tonight(date, date)
	n.Records = Fresh
	return n
}

// pairs of so many records of dataset d, from an id on, all with one difference.
func pairs(from, count int, d float64) Pairs {
	p := Pairs{Name: Name{"c", "d", "single", "error"}}
	for i := range count {
		p.IDs, p.Differences = append(p.IDs, fmt.Sprint("record ", from+i)), append(p.Differences, d)
	}
	return p
}

// bet plans, bets and appends a night of fresh records.
func bet(t *testing.T, h *History, date string, p ...Pairs) []Bet {
	t.Helper()
	n := fresh(date)
	look, err := h.Plan(n)
	if err != nil {
		t.Fatal(err)
	}
	bets, counted, largest, err := h.Bets(n, p)
	if err != nil {
		t.Fatal(err)
	}
	line := n.line(look)
	line.Counted, line.Largest = counted, largest
	for _, b := range bets {
		line.Quantities = append(line.Quantities, Quantity{Cascade: b.Cascade, Dataset: b.Dataset, Policy: b.Policy,
			Metric: b.Metric, Steps: b.Steps, Cap: b.Cap})
	}
	if err := h.Append(line); err != nil {
		t.Fatal(err)
	}
	again, err := Read(h.Path)
	if err != nil {
		t.Fatal(err)
	}
	*h = *again // the nights to come rest on what the file says
	return bets
}

// Every record counts once, on whatever night it comes again, and a file that was read again knows it.
func TestEachRecordCountsOnce(t *testing.T) {
	h := &History{Path: filepath.Join(t.TempDir(), "h.jsonl")}
	for _, tt := range []struct {
		date        string
		from, count int
		want        int // new ones
	}{
		{"2026-03-01", 0, 100, 100},
		{"2026-03-02", 50, 100, 50}, // half of them again
		{"2026-03-03", 0, 150, 0},   // nothing new
		{"2026-03-04", 149, 2, 1},
	} {
		bets := bet(t, h, tt.date, pairs(tt.from, tt.count, 0))
		got := 0
		for _, s := range bets[0].Steps {
			got += s.Count
		}
		if got != tt.want {
			t.Errorf("%s: %d records counted, want %d", tt.date, got, tt.want)
		}
	}
	all, err := base64.RawStdEncoding.DecodeString(h.Nights[0].Counted["d"])
	if err != nil || len(all) != 800 {
		t.Errorf("night 1 counted %d bytes, %v; want 8 for each of 100", len(all), err)
	}
}

// A group is one bet, of at most as many records as the largest group so far; the first night sets that.
func TestGroupsAreOneBet(t *testing.T) {
	h := &History{Path: filepath.Join(t.TempDir(), "h.jsonl")}
	night := func(date string, groups ...string) Bet {
		p := Pairs{Name: Name{"c", "d", "single", "error"}}
		for i, g := range groups {
			p.IDs = append(p.IDs, fmt.Sprint(date, " ", i))
			p.Groups, p.Differences = append(p.Groups, g), append(p.Differences, 1)
		}
		return bet(t, h, date, p)[0]
	}
	if b := night("2026-03-01", "a", "a", "b", "b"); len(b.Steps) != 0 {
		t.Errorf("the first night bets on %v", b.Steps)
	}
	// by hand: c has 1 of 2, d has 2 of 3 taken = 2/2, a was counted
	b := night("2026-03-02", "c", "d", "d", "d", "a")
	if want := []Step{{0.5, 1}, {1, 1}}; !slices.Equal(b.Steps, want) || b.Cap != 2 {
		t.Errorf("bets %v of at most %d, want %v of 2", b.Steps, b.Cap, want)
	}
	// from now on groups of three count whole, and a record alone is a third
	b = night("2026-03-03", "e", "e", "e", "")
	if want := []Step{{0.3333, 1}, {1, 1}}; !slices.Equal(b.Steps, want) || b.Cap != 3 {
		t.Errorf("bets %v of at most %d, want %v of 3", b.Steps, b.Cap, want)
	}
}

// Two equal records of one night are one, and no group.
func TestEqualRecordsAreOne(t *testing.T) {
	h := &History{Path: filepath.Join(t.TempDir(), "h.jsonl")}
	p := pairs(0, 10, 1)
	p.IDs[9] = p.IDs[0]
	b := bet(t, h, "2026-03-01", p)[0]
	if want := []Step{{1, 9}}; !slices.Equal(b.Steps, want) || b.Cap != 0 {
		t.Errorf("bets %v with a cap of %d, want %v without one", b.Steps, b.Cap, want)
	}
}

func TestBetsOutsideTheRange(t *testing.T) {
	for _, d := range []float64{1.5, -1.5, math.NaN()} {
		h := &History{Path: "h"}
		if _, _, _, err := h.Bets(fresh("2026-03-01"), []Pairs{pairs(0, 1, d)}); err == nil ||
			!strings.Contains(err.Error(), `record "record 0" of d`) {
			t.Errorf("a difference of %v: error %v", d, err)
		}
	}
}

// A drop raises an alarm, which ends some time after it has been put right; quantities that join later take a share of
// their own.
func TestFreshAlarm(t *testing.T) {
	h := &History{Path: filepath.Join(t.TempDir(), "h.jsonl")}
	at := 0
	night := func(day int, d float64, share int) []Bet { // share of 100 records have the difference d
		p := pairs(at, 100, 0)
		for i := range share {
			p.Differences[i] = d
		}
		late := p
		late.Policy = "multi"
		at += 100
		if day < 5 {
			return bet(t, h, fmt.Sprintf("2026-03-%02d", day), p)
		}
		return bet(t, h, fmt.Sprintf("2026-03-%02d", day), p, late)
	}
	var worse []int
	for day := 1; day <= 28; day++ {
		d, share := 1.0, 0
		if day >= 10 && day < 15 {
			share = 20
		} else if day >= 15 {
			d, share = -1, 20
		}
		bets := night(day, d, share)
		if bets[0].Worse {
			worse = append(worse, day)
		}
		if bets[0].Level != Share(0.05, 1) || len(bets) > 1 && bets[1].Level != Share(0.05, 2) {
			t.Fatalf("day %d: levels of %+v", day, bets)
		}
	}
	if len(worse) == 0 || worse[0] < 10 || worse[0] > 12 || worse[len(worse)-1] > 24 {
		t.Errorf("alarms on days %v: want them to begin on 10 to 12 and to end by 24", worse)
	}
}
