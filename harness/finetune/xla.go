//go:build xla

package finetune

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	gomlx "github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/xla" // needs cgo

	"infnet/harness/regular"
)

// pluginVariable names the file of the plugin that computes.
const pluginVariable = "INFNET_XLA_PLUGIN"

// newBackend is what graphs are executed with: the XLA plugin of a file, which
// decides on what device. Nothing is looked for elsewhere and nothing is
// downloaded. It has not been run.
func newBackend(int) (gomlx.Backend, error) {
	xla.EnableAutoInstall(false)
	path := os.Getenv(pluginVariable)
	if path == "" {
		return nil, fmt.Errorf("this program was built with -tags xla and has no XLA plugin: set %s to the file of one "+
			"(pjrt_c_api_cpu_plugin.so, or for an NVIDIA GPU pjrt_c_api_cuda_plugin.so). Install one with "+
			"go run github.com/gomlx/go-xla/cmd/pjrt_installer@latest, or build without -tags xla. Nothing is downloaded "+
			"unasked", pluginVariable)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pluginVariable, err)
	}
	f.Close()
	if strings.Contains(path, ",") { // what follows would be read as options
		return nil, fmt.Errorf("%s: %s: a path with a comma is not supported", pluginVariable, path)
	}
	b, err := xla.New(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", pluginVariable, path, err)
	}
	return b, nil
}

// device names it, for keys: what one learns, another does not to the last bit.
const device = "xla"
