package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signals handles SIGINT and SIGTERM. The first signal stops the run but lets calls that are
// already paid for finish. The second ends that wait. One second later, or at a third signal, the
// process exits.
type signals struct {
	hurry <-chan struct{} // closed by the second
	leave <-chan struct{} // closed when the process is to end
	stop  func()
}

// grace is the time between a second signal and the end of the process.
const grace = time.Second

// listen returns a context that the first signal cancels.
func listen(outer context.Context) (context.Context, signals) {
	ctx, cancel := context.WithCancel(outer)
	heard := make(chan os.Signal, 3)
	signal.Notify(heard, syscall.SIGINT, syscall.SIGTERM)
	hurry, leave, quit := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-heard:
			cancel()
		case <-quit:
			return
		}
		select {
		case <-heard:
			close(hurry)
		case <-quit:
			return
		}
		select {
		case <-heard:
		case <-time.After(grace):
		case <-quit:
			return
		}
		close(leave)
	}()
	return ctx, signals{hurry, leave, func() {
		signal.Stop(heard)
		close(quit)
		cancel()
	}}
}
