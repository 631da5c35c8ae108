//go:build unix

package policy

import (
	"syscall"
	"testing"
)

// processorTime returns the seconds this process has computed for, on all
// threads: what a busy machine does not blur.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}
