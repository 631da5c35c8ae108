package store

import "fmt"

// Torn is an incomplete last line, left by a killed process, a power cut or a damaged disk. Readers
// skip it and the next writer truncates it, so its content is missing.
type Torn struct {
	Path  string
	Holds string // what the file holds: the header's format: "answers", "failures", "embeddings", …
	Line  int    // from 1
	Bytes int64  // that are there of it
}

func (t Torn) String() string {
	held := map[string]string{
		"answers":    "its answer does not count, and collect and run ask for it again",
		"failures":   "why its request failed is forgotten, and collect and run ask it again",
		"embeddings": "its embedding or score does not count, and collect and run make it again",
		"scores":     "its score does not count, and collect and run make it again",
		"grades":     "its grade does not count, and collect and run make it again",
		"servers":    "what it said of the model's servers does not count, and collect and run find it out again",
		"confirmed":  "who answered at that address does not count, and collect and run ask again",
	}[t.Holds]
	return fmt.Sprintf("%s:%d: damaged end of file: the last line breaks off after %d bytes (a process was killed "+
		"while it wrote, is still writing, or the disk lost the rest): %s",
		t.Path, t.Line, t.Bytes, held)
}

// report passes the torn line of a file to Options.Notice, once.
func (s *Store) report(l *log, holds string) {
	if l.torn == 0 {
		return
	}
	t := Torn{Path: l.path, Holds: holds, Line: l.tornLine, Bytes: l.torn}
	s.mu.Lock()
	known := s.reported[t]
	if s.reported == nil {
		s.reported = map[Torn]bool{}
	}
	s.reported[t] = true
	s.mu.Unlock()
	if !known && s.opt.Notice != nil {
		s.opt.Notice(t)
	}
}
