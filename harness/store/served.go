package store

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"infnet/backends"
)

// Served is the result of probing a model's servers.
type Served struct {
	// the model's name there
	Name    string `json:"served,omitempty"`
	Server  string `json:"server"`  // vllm, ollama, …; "" where it does not say
	Version string `json:"version"` // as it says; may be empty
	// the command by which infnet started it; "" = it did not
	Launch string `json:"launch,omitempty"`
	// what of it changes answers; "" = nothing
	Settings string `json:"settings,omitempty"`
	// of all that decides how answers come about
	Fingerprint string                               `json:"fingerprint"`
	Labels      map[backends.Mode]backends.LabelMode `json:"labels"` // how classifications are asked by default
	// in a file, how many findings there were before: which is the first does not depend on the order of files
	After int `json:"after,omitempty"`
}

const servedLine = "one finding about the model's servers: key, server, version, fingerprint, " +
	"labels = how classifications are asked in each mode, served = the model's name there, launch = how infnet started " +
	"it, settings = what of that changes answers, crc"

// Served returns the findings about a model's servers, oldest first: the first one decides how
// classifications are asked.
func (s *Store) Served(id backends.ModelID) (out []Served, err error) {
	if out, err = notes[Served](s.servers(id)); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b Served) int { return a.After - b.After })
	for i := range out {
		out[i].After = 0
	}
	return out, nil
}

// ServedFor picks the findings about a model of this name on its servers, one per fingerprint and way to start.
func ServedFor(all []Served, name string) (out []Served) {
	known := map[string]bool{}
	for _, f := range all {
		if f.Name == name && !known[f.Fingerprint+f.Launch] {
			known[f.Fingerprint+f.Launch] = true
			out = append(out, f)
		}
	}
	return out
}

// AddServed stores a finding unless it is stored already, and returns all findings.
func (s *Store) AddServed(id backends.ModelID, found Served) (all []Served, err error) {
	if all, err = s.Served(id); err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.Fingerprint == found.Fingerprint && f.Name == found.Name && f.Launch == found.Launch {
			return all, nil
		}
	}
	found.After = len(all)
	key := backends.Key(sha256.Sum256([]byte(found.Fingerprint)))
	if found.Name != "" {
		key = sha256.Sum256(append(key[:], found.Name...))
	}
	if found.Launch != "" {
		key = sha256.Sum256(append(key[:], found.Launch...))
	}
	if err := s.servers(id).note(found, key); err != nil {
		return nil, err
	}
	return s.Served(id)
}

func (s *Store) servers(id backends.ModelID) about {
	return about{store: s, format: "servers", model: id, line: servedLine}
}

// Confirmed records which model answered at a URL when the served name was requested.
type Confirmed struct {
	Served string `json:"served"` // the name requested
	URL    string `json:"url"`    // hash of the URL: URLHash
	Model  string `json:"model"`  // the name in the reply; "" = it named none
}

const confirmedLine = "one confirmation: key, served = the name requested of a server, url = hash of its URL, " +
	"model = the name in its reply, crc"

// URLHash is the hash of a URL that the store keeps to recognise it.
func URLHash(url string) string {
	sum := sha256.Sum256([]byte("infnet url " + url))
	return hex.EncodeToString(sum[:8])
}

// Confirmed returns the confirmations of a model in the order in which they were stored.
func (s *Store) Confirmed(id backends.ModelID) ([]Confirmed, error) {
	return notes[Confirmed](s.confirmed(id))
}

// AddConfirmed stores a confirmation unless it is stored already.
func (s *Store) AddConfirmed(id backends.ModelID, c Confirmed) error {
	all, err := s.Confirmed(id)
	if err != nil {
		return err
	}
	if slices.Contains(all, c) {
		return nil
	}
	key := sha256.Sum256([]byte(hash("confirmed", c.Served, c.URL, c.Model)))
	return s.confirmed(id).note(c, key)
}

func (s *Store) confirmed(id backends.ModelID) about {
	return about{store: s, format: "confirmed", model: id, line: confirmedLine}
}
