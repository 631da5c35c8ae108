package analyze

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Cache keeps expensive computations by a hash of everything they depend on. Get
// returns false for anything that cannot be read; Put writes all or nothing.
type Cache interface {
	Get(key string) ([]byte, bool)
	Put(key string, data []byte) error
}

// remembered returns what the cache has, or computes and keeps it. What was read
// and is not whole is computed again.
func remembered[T any](c Cache, key string, whole func(T) bool, compute func() (T, error)) (T, error) {
	if c != nil {
		if data, ok := c.Get(key); ok {
			var v T
			if json.Unmarshal(data, &v) == nil && whole(v) {
				return v, nil
			}
		}
	}
	v, err := compute()
	if err != nil || c == nil {
		return v, err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return v, err
	}
	return v, c.Put(key, data)
}

// digest is the SHA-256, hexadecimal, of what a computation depends on: numbers and
// columns of numbers by their bits behind their size, all else as JSON.
func digest(parts ...any) (string, error) {
	h := sha256.New()
	for _, part := range parts {
		if size := binary.Size(part); size >= 0 {
			fmt.Fprintln(h, size)
			if err := binary.Write(h, binary.LittleEndian, part); err != nil {
				return "", err
			}
			continue
		}
		data, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		h.Write(append(data, '\n'))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
