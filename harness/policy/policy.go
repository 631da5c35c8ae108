// Package policy fits deferral thresholds: given what student and master did
// on the fit part and an error budget, which answers of the student may stand?
// It owns the paper's policies (single and per-class thresholds, oracle and
// non-oracle), their certificates, and the file in which thresholds are
// deployed. It refuses to guess: budgets are integers, ties move together, an
// infeasible budget is reported and never hidden.
package policy
