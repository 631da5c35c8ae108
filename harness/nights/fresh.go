package nights

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Pairs are the differences of one quantity on the records that both sides of a comparison have.
type Pairs struct {
	Name
	IDs         []string
	Groups      []string  // of the records; nil or "" = alone. Records of one group are one bet
	Differences []float64 // in [−1, 1], more is worse
}

// Bet is what a night of fresh records came to for one quantity.
type Bet struct {
	Name
	Steps     []Step
	Cap       int
	LogWealth float64 // after tonight
	Adjusted  float64 // anytime p-value, by Holm over the quantities that began on the same night
	Level     float64 // at which those quantities are tested
	Worse     bool
}

// key names a record or a group that has been counted.
type key [8]byte

// unit is a group of records, or a record alone, and what it sums to.
type unit struct {
	key  key
	sum  float64
	size int
}

// Bets bets on tonight's records, those that no night of the history has counted: of each quantity what it came to,
// and what belongs into the history's line as counted and largest. Records are counted by dataset. A record that was
// counted is never bet on again, whatever run is accepted meanwhile.
//
// Records of a group are not independent, so a group is one bet: its sum, divided by the size of the largest group of
// the nights before. Of larger groups so many records are taken. The first night of a dataset with
// groups only sets that size, because a stake must not depend on what it is bet on.
func (h *History) Bets(t Tonight,
	pairs []Pairs) (bets []Bet, counted map[string]string, largest map[string]int, err error) {
	seen, sizes, err := h.counted()
	if err != nil {
		return nil, nil, nil, err
	}
	fresh, largest := map[string]map[key]bool{}, map[string]int{}
	for _, p := range pairs {
		for i, d := range p.Differences {
			if !(d >= -1 && d <= 1) {
				return nil, nil, nil, fmt.Errorf("record %q of %s: a difference of %v in %s, which is bet on only within −1 and 1",
					p.IDs[i], p.Dataset, d, p.Metric)
			}
		}
		units := unitsOf(p, seen[p.Dataset], sizes[p.Dataset])
		bet := Bet{Name: p.Name, Cap: sizes[p.Dataset]}
		for _, u := range units {
			if fresh[p.Dataset] == nil {
				fresh[p.Dataset] = map[key]bool{}
			}
			fresh[p.Dataset][u.key] = true
			largest[p.Dataset] = max(largest[p.Dataset], u.size)
		}
		switch most := largestOf(units); {
		case most <= 1 && bet.Cap <= 1:
			bet.Cap = 0
			bet.Steps = steps(units, 1)
		case bet.Cap > 0:
			bet.Steps = steps(units, bet.Cap)
		}
		bets = append(bets, bet)
	}
	counted = map[string]string{}
	for dataset, keys := range fresh {
		counted[dataset] = packed(slices.Collect(maps.Keys(keys)))
	}
	h.settle(t, bets)
	return bets, counted, largest, nil
}

// unitsOf are the records that have not been counted, by group, in the order of their keys; of a
// group no more than most records, 0 = all.
func unitsOf(p Pairs, seen map[key]bool, most int) []unit {
	byKey := map[key]*unit{}
	order := make([]int, len(p.IDs))
	for i := range order {
		order[i] = i
	}
	// which records of a group are taken must not depend on what they came to
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.IDs[i], p.IDs[j]) })
	for _, i := range order {
		k, alone := keyOf("record", p.IDs[i]), true
		if i < len(p.Groups) && p.Groups[i] != "" {
			k, alone = keyOf("group", p.Groups[i]), false
		}
		u := byKey[k]
		if seen[k] || alone && u != nil { // the second of two equal records is no other one
			continue
		}
		if u == nil {
			u = &unit{key: k}
			byKey[k] = u
		}
		if u.size++; most <= 0 || u.size <= most {
			u.sum += p.Differences[i]
		}
	}
	units := make([]unit, 0, len(byKey))
	for _, u := range byKey {
		units = append(units, *u)
	}
	slices.SortFunc(units, func(a, b unit) int { return slices.Compare(a.key[:], b.key[:]) })
	return units
}

func largestOf(units []unit) (most int) {
	for _, u := range units {
		most = max(most, u.size)
	}
	return most
}

// steps counts units by what they sum to, divided by the cap and rounded down to a ten-thousandth,
// which can only make an alarm later.
func steps(units []unit, most int) []Step {
	count := map[float64]int{}
	for _, u := range units {
		count[math.Floor(1e4*u.sum/float64(most)+1e-6)/1e4]++
	}
	var out []Step
	for _, d := range slices.Sorted(maps.Keys(count)) {
		out = append(out, Step{d, count[d]})
	}
	return out
}

// settle works out the wealth of every bet after tonight, and which quantities are worse.
func (h *History) settle(t Tonight, bets []Bet) {
	all := table{effect: t.Effect}
	for i := range h.Nights {
		if h.Nights[i].sequence() == t.sequence() {
			all.begin()
			for _, q := range h.Nights[i].Quantities {
				all.play(q.Name(), q.Steps)
			}
		}
	}
	all.begin()
	for i := range bets {
		all.play(bets[i].Name, bets[i].Steps)
	}
	all.judge(t.Alpha, bets)
}

// table has the wealth of every quantity of a sequence.
//
// Quantities that begin to be bet on with the s-th night that brings new ones share Share(α, s), by
// Holm among them over p-values that hold whenever one looks: so all quantities together keep α,
// whichever join later. An alarm ends when the wealth has fallen again, as it does some time after
// what was worse has been put right.
type table struct {
	effect  float64 // see Wealth
	wealth  map[Name]*Wealth
	batches [][]Name // the quantities by the night on which they began
	began   bool     // tonight has a batch
}

func (t *table) begin() { t.began = false }

func (t *table) play(name Name, s []Step) {
	if len(s) == 0 {
		return
	}
	if t.wealth[name] == nil {
		if t.wealth == nil {
			t.wealth = map[Name]*Wealth{}
		}
		if !t.began {
			t.began, t.batches = true, append(t.batches, nil)
		}
		last := len(t.batches) - 1
		t.wealth[name], t.batches[last] = &Wealth{Effect: t.effect}, append(t.batches[last], name)
	}
	t.wealth[name].Night(s)
}

// judge fills in what bets came to.
func (t *table) judge(alpha float64, bets []Bet) {
	of := map[Name]int{}
	for i := range bets {
		of[bets[i].Name] = i
	}
	for s, names := range t.batches {
		p := make([]float64, len(names))
		for i, name := range names {
			p[i] = AnytimeP(t.wealth[name].Log())
		}
		for i, adjusted := range infer.Holm(p) {
			if j, ok := of[names[i]]; ok {
				b := &bets[j]
				b.LogWealth, b.Adjusted, b.Level = t.wealth[names[i]].Log(), adjusted, Share(alpha, s+1)
				b.Worse = b.Adjusted <= b.Level
			}
		}
	}
}

// counted reads which records the history has counted, and the largest group so far, both by dataset.
func (h *History) counted() (seen map[string]map[key]bool, sizes map[string]int, err error) {
	seen, sizes = map[string]map[key]bool{}, map[string]int{}
	for i := range h.Nights {
		for dataset, text := range h.Nights[i].Counted {
			if seen[dataset] == nil {
				seen[dataset] = map[key]bool{}
			}
			all, err := base64.RawStdEncoding.DecodeString(text)
			if err != nil || len(all)%len(key{}) != 0 {
				return nil, nil, h.bad(i+1, "is damaged (the records counted of %s): restore the file from a copy", dataset)
			}
			for k := range slices.Chunk(all, len(key{})) {
				seen[dataset][key(k)] = true
			}
		}
		for dataset, size := range h.Nights[i].Largest {
			sizes[dataset] = max(sizes[dataset], size)
		}
	}
	return seen, sizes, nil
}

func packed(keys []key) string {
	slices.SortFunc(keys, func(a, b key) int { return slices.Compare(a[:], b[:]) })
	var all []byte
	for _, k := range keys {
		all = append(all, k[:]...)
	}
	return base64.RawStdEncoding.EncodeToString(all)
}

func keyOf(kind, name string) key {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	return key(sum[:8])
}
