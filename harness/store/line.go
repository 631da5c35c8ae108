package store

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strconv"

	"infnet/backends"
)

// A line is a JSON object whose last member is the checksum of everything before it:
//
//	{…,"crc":"89abcdef"}\n
//
// CRC-32C (Castagnoli) over the bytes before `,"crc"`, eight lower-case hexadecimal digits. A CRC
// detects damage by disks and editors; it does not protect against tampering.
const (
	crcMark = `,"crc":"`
	crcTail = len(crcMark) + 8 + len(`"}`)
	keyMark = `{"key":"`
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal turns a JSON object into a line, newline included, appended to dst.
func seal(dst, object []byte) []byte {
	body := object[:len(object)-1] // without the closing brace
	dst = append(dst, body...)
	dst = append(dst, crcMark...)
	return fmt.Appendf(dst, "%08x\"}\n", crc32.Checksum(body, castagnoli))
}

// intact checks a line (without its newline) against its checksum.
func intact(line []byte) error {
	cut := len(line) - crcTail
	if cut < 1 || !bytes.Equal(line[cut:cut+len(crcMark)], []byte(crcMark)) || line[len(line)-1] != '}' ||
		line[len(line)-2] != '"' {
		return fmt.Errorf("it does not end in a checksum")
	}
	want := line[cut+len(crcMark) : len(line)-2]
	sum, err := strconv.ParseUint(string(want), 16, 32)
	if err != nil {
		return fmt.Errorf("its checksum %q is not hexadecimal", want)
	}
	if got := crc32.Checksum(line[:cut], castagnoli); got != uint32(sum) {
		return fmt.Errorf("its checksum is %08x, its content gives %08x", sum, got)
	}
	return nil
}

// lineKey reads the key a record line starts with.
func lineKey(line []byte) (backends.Key, error) {
	var k backends.Key
	const end = len(keyMark) + 2*len(k)
	if len(line) <= end || !bytes.HasPrefix(line, []byte(keyMark)) || line[end] != '"' {
		return k, fmt.Errorf("it does not start with a key")
	}
	if _, err := hex.Decode(k[:], line[len(keyMark):end]); err != nil {
		return k, fmt.Errorf("its key is not hexadecimal")
	}
	return k, nil
}
