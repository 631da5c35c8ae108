package accept

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/regular"
	"infnet/harness/result"
)

// format says what the file is to whoever opens it.
const format = "accepted run of infnet: what infnet compare measures later runs against; infnet accept writes it"

// noSum takes the place of the file's hash while it is computed.
var noSum = strings.Repeat("0", 64)

// Encode returns the run as an accepted file.
func (r *Run) Encode() ([]byte, error) {
	out := *r
	out.Sum = noSum
	b, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, fmt.Errorf("accepted run of study %q: %w", r.Study, err)
	}
	b = append(result.Flat(b), '\n')
	return replaceSum(b, noSum, Sum(b)), nil
}

// replaceSum puts one hash in the place of another at the end of a file, whose last field it is.
func replaceSum(b []byte, old, now string) []byte {
	const field = `"sha256": "`
	out := bytes.Clone(b)
	if at := bytes.LastIndex(b, []byte(field+old)); at >= 0 {
		copy(out[at+len(field):], now)
	}
	return out
}

// Sum is the SHA-256 of bytes, hexadecimal.
func Sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Open reads a run: its folder, or an accepted file. A file of another version is fault.Unrelated, a damaged one
// fault.Data.
func Open(path string) (*Run, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return Folder(path)
	}
	b, err := regular.ReadFile(path)
	if err != nil {
		return nil, fault.Data.Wrap(fmt.Errorf("%w: name the folder of a run, or the file that infnet accept wrote", err))
	}
	r, err := Decode(b, path)
	return r, fault.Data.Wrap(err)
}

// Decode reads an accepted run from bytes; name appears in errors. The version comes first: a file of another one may
// not look like this one's at all. What has the right hash is as it was written, so that its columns fit each other.
func Decode(b []byte, name string) (*Run, error) {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) // as some systems check files out
	const again = "take it from version control again, or accept a run again"
	var head struct {
		Version  *int    `json:"version"`
		Accepted *string `json:"accepted"`
	}
	err := json.Unmarshal(b, &head)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: not an accepted run, or cut off: %w; %s", name, err, again)
	case head.Version == nil || head.Accepted == nil:
		return nil, fmt.Errorf("%s: not an accepted run: it has no version and day; name the folder of a run, or the "+
			"file that infnet accept wrote", name)
	case *head.Version != Version:
		return nil, fault.Unrelated.Wrap(fmt.Errorf("%s: an accepted run of version %d, and this infnet reads version %d: "+
			"accept a run again with this one, or compare with the one that wrote it", name, *head.Version, Version))
	}
	r := Run{Name: name}
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%s: an accepted run that is damaged: %w; %s", name, err, again)
	}
	if len(r.Sum) != len(noSum) || Sum(replaceSum(b, r.Sum, noSum)) != r.Sum {
		return nil, fmt.Errorf("%s: damaged, or changed since it was written: its hash is not that of its content; %s", name,
			again)
	}
	return &r, nil
}

// Column has a value per record. In JSON it is one text: the list of its values as JSON, compressed with deflate, in
// base64.
type Column[T any] []T

// mostBytes bounds what a column may unpack to: a damaged or hostile file must not fill the memory.
const mostBytes = 1 << 28

// MarshalJSON packs the column.
func (c Column[T]) MarshalJSON() ([]byte, error) {
	list, err := json.Marshal([]T(c))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err == nil {
		_, err = w.Write(list)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return json.Marshal(out.Bytes()) // JSON has bytes in base64
}

// UnmarshalJSON unpacks the column.
func (c *Column[T]) UnmarshalJSON(text []byte) error {
	var packed, list []byte
	err := json.Unmarshal(text, &packed)
	if err == nil {
		list, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostBytes))
	}
	if err == nil {
		err = json.Unmarshal(list, (*[]T)(c))
	}
	if err != nil {
		return fmt.Errorf("a column is damaged: %w", err)
	}
	return nil
}
