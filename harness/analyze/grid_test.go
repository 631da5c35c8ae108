package analyze

import (
	"maps"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"infnet/harness/policy"
	"infnet/harness/result"
)

// variedTOML is the study by hand with a drawn split and a baseline that learns.
var variedTOML = strings.Replace(handTOML, `order = "file" }`, `order = "shuffle" }`, 1) + `
[[baselines]]
kind = "frugalgpt"
[policy]
target = "best"
`

// twoHues are the answers of a student that is less wrong where it is surer, and of a master that is wrong on one of
// ten. Records of odd number are of the domain x, on which the student is overconfident, the others of y.
func twoHues(n int) (truth []byte, says func(model string, i int) (byte, float64), domain func(i int) string) {
	rng := rand.New(rand.NewPCG(1, 2))
	beta, student, master := make([]float64, n), make([]byte, n), make([]byte, n)
	domain = func(i int) string { return string("yx"[i%2]) }
	for i := range n {
		truth = append(truth, colours[rng.IntN(2)])
		beta[i] = 0.5 + rng.Float64()/2
		right := beta[i]
		if domain(i) == "x" {
			right -= 0.25
		}
		student[i], master[i] = truth[i], truth[i]
		if rng.Float64() > right {
			student[i] = colours[1-class(truth[i])]
		}
		if rng.Float64() < 0.1 {
			master[i] = colours[1-class(truth[i])]
		}
	}
	return truth, func(model string, i int) (byte, float64) {
		if model == "master" {
			return master[i], 0.9
		}
		return student[i], beta[i]
	}, domain
}

// variedInput is a study of drawn records, and another study on the same answers.
func variedInput(t *testing.T, text string) (in Input, otherwise func(text string) Input) {
	truth, says, domain := twoHues(300)
	in = inputOf(t, load(t, text), truth, says, nil)
	set := in.Sheets["colours"].Set
	for i := range set.Examples {
		set.Examples[i].Domain = domain(i)
	}
	return in, func(text string) Input {
		other := in
		other.Study = load(t, text)
		return other
	}
}

// Every point of a grid is what a study of its own says, with its intervals: of targets, of seeds, and of as many
// records as there are.
func TestPointsAreStudiesOfTheirOwn(t *testing.T) {
	t.Parallel()
	in, otherwise := variedInput(t, variedTOML+`
[grid]
target      = [0.8, "master", "student"]
seed        = [1, 7, 8]
fit_records = [10, 40, 150, 1000]
`)
	out, _ := analysed(t, in)
	studies := map[string]result.Dataset{}
	same := func(p result.Point, text string) {
		t.Helper()
		d, ok := studies[text]
		if !ok {
			_, d = analysed(t, otherwise(text))
			studies[text] = d
		}
		r := rowNamed(t, d, p.Policy)
		if p.Error != r.Error || p.Saved != r.Saved || p.Deferred != r.Deferred.Value || p.Title != r.Title ||
			p.Fit != d.Counts.Fit || p.Test != d.Counts.Test {
			t.Errorf("%s at %s: error %v, saved %v, deferred %v; the study says %v, %v, %v", p.Policy, p.Value, p.Error, p.Saved,
				p.Deferred, r.Error, r.Saved, r.Deferred)
		}
	}
	seen := map[string]int{}
	for _, axis := range out.Result.Grid {
		for _, p := range axis.Points {
			seen[axis.Axis]++
			switch axis.Axis {
			case "target":
				value := p.Value
				if value != "0.8" {
					value = `"` + value + `"`
				}
				same(p, strings.Replace(variedTOML, `target = "best"`, "target = "+value, 1))
			case "seed":
				if p.Value == result.OverSeeds {
					overSeedsByHand(t, axis.Points, p)
					continue
				}
				same(p, strings.Replace(variedTOML, "seed  = 1\n", "seed  = "+p.Value+"\n", 1))
			case "fit_records":
				if strconv.Itoa(p.Fit) != p.Value || p.Test != 150 {
					t.Errorf("%s records fit and %d test at %s", p.Value, p.Test, p.Value)
				}
				if p.Value == "150" {
					same(p, variedTOML)
				}
			}
		}
	}
	// single, multi and frugalgpt, and their means over seeds; 1,000 records are more than fit
	want := map[string]int{"target": 9, "seed": 12, "fit_records": 9}
	if !maps.Equal(seen, want) {
		t.Errorf("points %v, want %v", seen, want)
	}
	if w := out.Result.Warnings; len(w) != 1 || !strings.Contains(w[0], "grid.fit_records = 1000 is left out") {
		t.Errorf("warnings %q", w)
	}
}

// overSeedsByHand checks a mean over three seeds: half of the records test, so that the variance of the mean is
// (1/3 + 1)·s², and t at 95 % with 2 degrees of freedom is 4.302653 (the usual tables).
func overSeedsByHand(t *testing.T, points []result.Point, mean result.Point) {
	t.Helper()
	var sum, square, n float64
	for _, p := range points {
		if p.Policy == mean.Policy && p.Value != result.OverSeeds {
			sum, n = sum+p.Saved.Value, n+1
		}
	}
	for _, p := range points {
		if p.Policy == mean.Policy && p.Value != result.OverSeeds {
			square += (p.Saved.Value - sum/n) * (p.Saved.Value - sum/n)
		}
	}
	near(t, mean.Policy+" mean", mean.Saved.Value, sum/3)
	if half := 4.302653 * math.Sqrt(square/2*(1.0/3+1)); math.Abs(mean.Saved.High-mean.Saved.Value-half) > 1e-5*half {
		t.Errorf("%s: %v, want ± %v", mean.Policy, mean.Saved, half)
	}
}

// Each cell of a transfer, counted by hand: a threshold fitted on the records of one domain, used on those of another,
// with the master's error there as the budget.
func TestCellsByHand(t *testing.T) {
	t.Parallel()
	in, _ := variedInput(t, strings.Replace(variedTOML, `target = "best"`, `target = "master"`, 1)+"[transfer]\nby = \"hue\"\n")
	out, _ := analysed(t, in)
	truth, says, domain := twoHues(300)
	parts, err := in.Sheets["colours"].Split(in.Study.Seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string, part []int) (list []int, r policy.Records) {
		for _, i := range part {
			if domain(i) != name {
				continue
			}
			list = append(list, i)
			answer, beta := says("student", i)
			best, _ := says("master", i)
			r.Beta = append(r.Beta, beta)
			r.Student = append(r.Student, indicator(answer != truth[i]))
			r.Master = append(r.Master, indicator(best != truth[i]))
		}
		return list, r
	}
	if n := len(out.Result.Transfer); n != 1 || len(out.Result.Transfer[0].Cells) != 12 {
		t.Fatalf("%d transfers: %+v", n, out.Result.Transfer)
	}
	for _, c := range out.Result.Transfer[0].Cells {
		if c.Policy != Single {
			continue
		}
		_, fit := of(c.FittedOn, parts.Fit)
		fitted, err := policy.FitSingle(fit, policy.Options{Target: policy.Master})
		if err != nil {
			t.Fatal(err)
		}
		list, test := of(c.UsedOn, parts.Test)
		wrong, allowed, deferred := 0.0, 0.0, 0.0
		for k := range list {
			allowed += test.Master[k]
			if test.Beta[k] >= fitted.Thresholds[0] {
				wrong += test.Student[k]
			} else {
				wrong, deferred = wrong+test.Master[k], deferred+1
			}
		}
		n := float64(len(list))
		what := c.FittedOn + " used on " + c.UsedOn
		near(t, what+": error", c.Error.Value, wrong/n)
		near(t, what+": allowed", c.Allowed, allowed/n)
		near(t, what+": excess", c.Excess.Value, (wrong-allowed)/n)
		near(t, what+": deferred", c.Deferred, deferred/n)
		kept := result.BudgetOpen
		if c.Excess.Low > 0 {
			kept = result.BudgetBroken
		} else if c.Excess.High <= 0 {
			kept = result.BudgetKept
		}
		if c.Budget != kept {
			t.Errorf("%s: the budget is %s, and the excess %v", what, c.Budget, c.Excess)
		}
	}
}
