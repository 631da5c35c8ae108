package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"infnet/harness/view"
)

// viewCommand shows runs in a browser, or a record on the screen.
type viewCommand struct {
	runFlags
	Record    string `help:"Print this record, and open no browser: its id or row, or DATASET/ID where several datasets have it." placeholder:"ID"`
	Port      int    `help:"Port on this machine. 0 is one that is free." default:"0" placeholder:"N"`
	NoBrowser bool   `help:"Print the address and start no browser."`
}

// Run serves pages to this machine until it is stopped, which is how it ends well.
func (c *viewCommand) Run(ctx context.Context, s *streams) error {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	if c.Record != "" {
		return c.show(s, dir)
	}
	site, err := view.Open(dir)
	if err != nil {
		return err
	}
	defer site.Close()
	return view.Serve(ctx, site, c.Port, func(at view.Address) {
		fmt.Fprintf(s.out, "%s is at\n  %s\non this machine alone. The address opens its texts. Ctrl-C ends it.\n",
			dir, at.URL)
		if !c.NoBrowser {
			openBrowser(at.Once)
		}
	})
}

// openBrowser starts the user's browser, where there is a screen for one. Where it cannot be started, the address was
// printed.
func openBrowser(address string) {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", address)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
		cmd = exec.Command("xdg-open", address)
	}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // what becomes of it is the user's to see
	}
}
