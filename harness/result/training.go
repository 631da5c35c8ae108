package result

// Training is what a policy of two models needed before its first query. All of them need the answers and grades of the
// fit part.
type Training struct {
	FLOPs   *float64 `json:"flops,omitempty"` // of all fits, 2 per multiply–add; nil = not counted
	Records int      `json:"records"`         // of the fit part: every model's answer, and its grade
	// in the cascade's unit. Ours: the answers of the fit part, by the constants of costs. A baseline, which needs them
	// too: the operations of its fits, where costs are operations, else 0
	Cost float64 `json:"cost"`
	// queries after which Cost has come back, +Inf = never. Ours: by the saving against the rival, the best that needs no
	// fit part. A baseline: by its saving against ours at our error on the fit part. nil = the two could not be compared,
	// or what was spent is not known
	PaidAfter *Estimate `json:"paid_after,omitempty"`
}
