//go:build !linux

package supervisor

import (
	"context"
	"errors"
	"runtime"
)

// Main does nothing on this system: no server is started.
func Main() { hasMain.Store(true) }

func launch(context.Context, order) (*Process, error) {
	return nil, errors.New("infnet starts no servers on " + runtime.GOOS + ", as it could not be sure to stop them: " +
		"start the server by hand and name its address (urls)")
}
