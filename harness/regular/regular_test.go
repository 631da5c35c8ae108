//go:build unix

package regular

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "r") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("file"), []byte("x"), 0o644))
	must(os.Mkdir(at("folder"), 0o755))
	must(syscall.Mkfifo(at("pipe"), 0o644))
	must(os.Symlink("loop", at("loop")))
	must(os.Symlink("/dev/zero", at("device")))
	must(os.Symlink("pipe", at("link-to-pipe")))
	must(os.Symlink("file", at("link")))
	l, err := net.Listen("unix", at("socket"))
	must(err)
	defer l.Close()
	for _, c := range []struct{ name, want string }{
		{"file", ""}, {"link", ""},
		{"folder", "is a folder, not a regular file"},
		{"pipe", "is a named pipe, not a regular file"},
		{"link-to-pipe", "is a named pipe, not a regular file"},
		{"device", "is a device, not a regular file"},
		{"socket", "is a socket, not a regular file"},
		{"loop", "too many levels of symbolic links"},
		{"nothing", "no such file"},
	} {
		for how, read := range map[string]func() ([]byte, error){
			"path":   func() ([]byte, error) { return ReadFile(at(c.name)) },
			"folder": func() ([]byte, error) { return fs.ReadFile(DirFS(dir), c.name) },
		} {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				done := make(chan struct{})
				var b []byte
				var err error
				go func() { b, err = read(); close(done) }()
				select {
				case <-done:
				case <-time.After(10 * time.Second):
					t.Fatal("it hangs")
				}
				switch {
				case c.want == "" && (err != nil || string(b) != "x"):
					t.Errorf("%q, %v", b, err)
				case c.want != "" && how == "folder" && c.name == "folder": // opened, as any folder; reading it fails
					if err == nil {
						t.Error("a folder was read as a file")
					}
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("error %v, want %q", err, c.want)
				}
			})
		}
	}
}
