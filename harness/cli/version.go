package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of this source; results name it.
const release = "0.1.0"

// programVersion is the version as results and tables carry it. It holds no
// commit, so that equal sources give equal bytes.
func programVersion() string { return release }

// versionCommand prints the version.
type versionCommand struct{}

func (c *versionCommand) Run(_ context.Context, s *streams) error {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = " (" + setting.Value + ")"
			}
		}
	}
	_, err := fmt.Fprintf(s.out, "infnet %s%s, %s %s/%s\n", release, commit, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	return err
}
