package store

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"infnet/backends"
)

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
