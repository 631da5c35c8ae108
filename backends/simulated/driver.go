package simulated

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"infnet/backends"
)

// Driver opens simulated models.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:     backends.Simulated,
		Model:    func(c backends.Config) (backends.Model, error) { return Open(c) },
		Revision: revision,
	}
}

// revision is a hash of the distribution.
func revision(c backends.Config) (string, error) {
	s, err := backends.SettingsOf[*backends.SimulatedConfig](c)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}
