package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Program says which program made a run, more exactly than its version does. It is written to run.json alone: results
// carry the version, so that two builds of one source give the same results byte for byte.
type Program struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // the commit it was built from; "" = not known
	Modified bool   `json:"modified,omitempty"` // files were changed since that commit
	Module   string `json:"module,omitempty"`   // version and checksum of the module, where it was built as a dependency
	// SHA-256 of the executable, where no commit says what it was built from
	Executable string `json:"executable,omitempty"`
	Go         string `json:"go"`       // the compiler
	Platform   string `json:"platform"` // such as linux/amd64
}

// String is the program in a few words: "0.1.0 (5c7536d1a2b3)".
func (p Program) String() string {
	var of string
	switch {
	case p.Executable != "":
		of = "build " + short(p.Executable)
	case p.Revision != "":
		of = short(p.Revision)
	case p.Module != "":
		of = p.Module
	default:
		return p.Version
	}
	return strings.TrimSpace(p.Version + " (" + of + ")")
}

// short is the beginning of a hash.
func short(hash string) string { return hash[:min(12, len(hash))] }

// ThisProgram is the program that runs, under this version.
func ThisProgram(version string) Program {
	p := build()
	p.Version = version
	return p
}

var build = sync.OnceValue(func() Program {
	p := Program{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				p.Revision = s.Value
			case "vcs.modified":
				p.Modified = s.Value == "true"
			}
		}
		if info.Main.Sum != "" { // installed by its version
			p.Module = info.Main.Version + " " + info.Main.Sum
		}
	}
	if p.Module == "" && (p.Revision == "" || p.Modified) {
		p.Executable = executable()
	}
	return p
})

// executable is the SHA-256 of the running executable; "" where it cannot be read.
func executable() string {
	file, err := os.Open("/proc/self/exe") // the file that runs, even where a newer one has its name by now
	if err != nil {
		path, err := os.Executable()
		if err != nil {
			return ""
		}
		if file, err = os.Open(path); err != nil {
			return ""
		}
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
