package infer_test

import (
	"math"
	"testing"

	"infnet/metrics/infer"
)

// The intervals of the shares are those of statsmodels 0.15's proportion_confint(method="wilson"), joined by hand.
func TestAuditedShare(t *testing.T) {
	for _, tc := range []struct {
		audit            infer.Audit
		value, low, high float64
	}{
		{infer.Audit{Records: 1000, Said: 820, Both: 70, OnlyTruth: 6, OnlyJudge: 14, Neither: 10},
			.74, 0.6460870710211426, 0.8317786073084846},
		{infer.Audit{Records: 500, Said: 450, Both: 45, Neither: 5}, .9, 0.8228240408644991, 0.9750627469652354},
		{infer.Audit{Records: 200, Said: 20, Both: 3, OnlyJudge: 4, Neither: 23}, 0, 0, 0.11419349593817671},
	} {
		iv, err := tc.audit.Share(.95)
		if err != nil || math.Abs(iv.Value-tc.value) > 1e-9 || math.Abs(iv.Low-tc.low) > 1e-9 ||
			math.Abs(iv.High-tc.high) > 1e-9 {
			t.Errorf("%+v: %+v, %v, want %v [%v, %v]", tc.audit, iv, err, tc.value, tc.low, tc.high)
		}
	}
	all := infer.Audit{Records: 20, Said: 12, Both: 11, OnlyTruth: 4, OnlyJudge: 1, Neither: 4}
	if iv, err := all.Share(.95); err != nil || iv.Value != .75 || iv.Method != infer.MethodClopperPearson {
		t.Errorf("all audited: %+v, %v", iv, err)
	}
	if _, err := (infer.Audit{Records: 20, Said: 12}).Share(.95); err == nil {
		t.Error("a share without audited records")
	}
}
