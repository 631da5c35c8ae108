package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signals are what SIGINT and SIGTERM ask for, step by step: the first stops
// what is under way but lets calls that are paid for come back, the second ends
// that wait. A second later, or at a third signal, the process ends whatever it
// is doing.
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
