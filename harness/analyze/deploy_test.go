package analyze

import (
	"slices"
	"testing"

	"infnet/harness/policy/deploy"
	"infnet/harness/result"
	"infnet/harness/seed"
)

// The files of a run decide as its rows do: each fitted policy, the mixture
// with its coins, and a chain stage by stage.
func TestDeploymentsDecideAsTheRowsDo(t *testing.T) {
	out, _ := analysed(t, handInput(t, load(t, handTOML+"\n[policy]\ncompare = [\"randomised\", \"generalised\"]\n"),
		byHand, nil))
	b := out.Datasets[0]
	list, err := b.Deployments("answers")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
		if back := throughAFile(t, d.File); back.Policy != d.Name || back.Student.Name != "student" ||
			back.Master.Name != "master" {
			t.Errorf("%s: %+v", d.Name, back.About)
		}
	}
	if want := []string{Single, Multi, "multi-randomised"}; !slices.Equal(names, want) {
		t.Fatalf("policies %v, want %v", names, want)
	}
	r := b.Records.Pair(b.Records.Test)
	for k, name := range []string{Single, Multi} {
		d := throughAFile(t, list[k].File)
		for i, defers := range b.rows.named(name).fitted.Policy.Decide(r) {
			if accepted := accepts(d, b.Result.Labels[r.Class[i]], r.Beta[i], 0); accepted == defers {
				t.Errorf("%s, record %d: accepted %v and deferred %v", name, i, accepted, defers)
			}
		}
	}
	d := throughAFile(t, list[2].File)
	chance := b.rows.named("multi-randomised").mixture.Expected(r)
	for i := range r.Beta {
		accepted, draws := 0, 0
		for q := range 400 {
			coin := seed.Uniform(1, "mixture", string(rune('a'+i)), string(rune('A'+q)))
			draws++
			if accepts(d, b.Result.Labels[r.Class[i]], r.Beta[i], coin) {
				accepted++
			}
		}
		// Five standard deviations of a share of 400 draws are at most .125.
		if share := 1 - float64(accepted)/float64(draws); share < chance[i]-.125 || share > chance[i]+.125 {
			t.Errorf("record %d is deferred in %v of the draws, want about %v", i, share, chance[i])
		}
	}
}

// The files of policies that may abstain answer as many queries, and err as often, as the table says.
func TestAbstainingDeploymentsDecideAsTheTable(t *testing.T) {
	alone := 0
	for _, prices := range []string{"error_cost = 1000\nabstain_cost = 40", "error_cost = 1000\nabstain_cost = 300",
		"error_cost = 1000\nabstain_cost = 120"} {
		var truth []byte
		for _, r := range byHand {
			truth = append(truth, r.truth)
		}
		out, d := analysed(t, inputOf(t, load(t, handTOML+"\n[policy]\n"+prices+"\n"), truth,
			func(model string, i int) (byte, float64) {
				switch r := byHand[i]; {
				case model == "student":
					return r.student, r.beta
				case r.master == r.truth:
					return r.master, .9
				default: // less sure where it is wrong, so that dropping its answers pays
					return r.master, .6
				}
			}, nil))
		b := out.Datasets[0]
		list, err := b.Deployments("answers")
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]deploy.File{}
		for _, d := range list {
			files[d.Name] = throughAFile(t, d.File)
		}
		r, sure := b.Records.Pair(b.Records.Test), masterBeta(b.Records, b.Records.Test)
		for _, name := range []string{Single + isAbstaining, Multi + isAbstaining} {
			first, ok := files[name]
			if !ok {
				t.Fatalf("%s: no %s among %v", prices, name, files)
			}
			answered, errs := 0.0, 0.0
			for i, beta := range r.Beta {
				bar, known := first.Threshold(b.Result.Labels[r.Class[i]], 0)
				switch {
				case known && beta >= bar.Theta:
					answered, errs = answered+1, errs+r.Student[i]
				case known && beta < bar.Abstain:
				default:
					answered, errs = answered+1, errs+r.Master[i]
				}
			}
			alike(t, prices, lossOf(t, d.Price, name), len(r.Beta), answered, errs)
		}
		for name, of := range map[string][2][]float64{"none-abstaining": {r.Beta, r.Student},
			"all-abstaining": {sure, r.Master}} {
			x := lossOf(t, d.Price, name)
			file, ok := files[name]
			if ok != (*x.Alone > 0) {
				t.Errorf("%s: %s is silent below %v, a file: %t", prices, name, *x.Alone, ok)
			}
			if !ok {
				continue
			}
			alone++
			answered, errs := 0.0, 0.0
			for i, beta := range of[0] {
				switch bar, known := file.Threshold(b.Result.Labels[r.Class[i]], 0); {
				case known && beta >= bar.Theta:
					answered, errs = answered+1, errs+of[1][i]
				case !known || beta >= bar.Abstain:
					t.Fatalf("%s: %s defers at %v", prices, name, beta)
				}
			}
			alike(t, prices, x, len(r.Beta), answered, errs)
			if file.Student != file.Master || file.Fit.Deferred != 0 {
				t.Errorf("%s: %s asks somebody: %+v", prices, name, file)
			}
		}
	}
	if alone < 2 {
		t.Errorf("%d models are silent alone: want some", alone)
	}
}

// alike says where a deployed policy answers or errs otherwise than its row of the table.
func alike(t *testing.T, prices string, x *result.Loss, n int, answered, errs float64) {
	t.Helper()
	if got := answered / float64(n); got != x.Answered.Value || answered > 0 && errs/answered != x.Error.Value {
		t.Errorf("%s, %s: the files answer %v with %v errors, the table has %+v and %+v", prices, x.Policy, answered, errs,
			x.Answered, x.Error)
	}
}

// throughAFile writes a deployment and reads it back.
func throughAFile(t *testing.T, d deploy.File) deploy.File {
	t.Helper()
	text, err := deploy.Encode(map[string]deploy.File{"p": d})
	if err != nil {
		t.Fatal(err)
	}
	back, err := deploy.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return back["p"]
}

// accepts applies a file's thresholds to one query.
func accepts(d deploy.File, class string, beta, coin float64) bool {
	bar, known := d.Threshold(class, coin)
	return known && beta >= bar.Theta
}
