package folder

import "runtime/debug"

// Program says which program made a run, more exactly than its version does. It is written to run.json alone: results
// carry the version, so that two builds of one source give the same results byte for byte.
type Program struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // the commit it was built from; "" = not known
	Modified bool   `json:"modified,omitempty"` // files were changed since that commit
}

// String is the program in a few words: "0.1.0 (5c7536d1a2b3)".
func (p Program) String() string {
	if p.Revision == "" {
		return p.Version
	}
	return p.Version + " (" + p.Revision[:min(12, len(p.Revision))] + ")"
}

// ThisProgram is the program that runs, under this version.
func ThisProgram(version string) Program {
	p := Program{Version: version}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				p.Revision = s.Value
			case "vcs.modified":
				p.Modified = s.Value == "true"
			}
		}
	}
	return p
}
