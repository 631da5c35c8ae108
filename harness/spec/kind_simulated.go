package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"infnet/backends"
)

// simulatedKind is a model drawn from a stated joint distribution.
func simulatedKind() *kind {
	return &kind{
		name: backends.Simulated, title: "a simulated model", own: true,
		model: checkSimulated,
		unshaped: func(d *definition) {
			d.wrong("backend", "a simulated model has no network whose FLOPs could be counted, and cost.model is \"tflops\"",
				"set cost.model = \"fixed\" and a fixed_cost for every model, or \"tokens\"")
		},
	}
}

func checkSimulated(c *modelCheck, d *definition, m *Model, _ *backend) {
	r, f := d.model(), d.file
	if r.Simulated == nil {
		d.missing("simulated", "simulated = { alpha = 4, beta = 2, intercept = 0.6, slope = -0.6 }")
		return
	}
	q, at := r.Simulated, d.at+".simulated"
	for _, k := range []struct {
		key string
		p   *float64
	}{{"alpha", q.Alpha}, {"beta", q.Beta}, {"intercept", q.Intercept}} {
		if k.p == nil {
			f.missing(at, k.key, "")
		}
	}
	settings := backends.SimulatedConfig{
		Alpha: or(q.Alpha, 1), Beta: or(q.Beta, 1), Intercept: or(q.Intercept, 0), Slope: q.Slope,
		Rho: q.Rho, Params: m.Params, Seed: c.study.Seed,
	}
	m.Config.Settings, m.Config.Model.Revision = &settings, distribution(settings)
}

// distribution is the revision of a simulated model: equal only for equal distributions, so that
// answers are never mixed up.
func distribution(c backends.SimulatedConfig) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "infnet simulated 1 %x %x %x %x %x %x %d", c.Alpha, c.Beta, c.Intercept, c.Slope,
		c.Rho, c.Params, c.Seed))
	return hex.EncodeToString(sum[:16])
}
