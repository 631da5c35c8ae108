package pieces

import (
	"fmt"
	"strconv"
)

// ByteName is how a vocabulary with byte fallback writes a byte: <0xFF>.
func ByteName(b byte) string { return fmt.Sprintf("<0x%02X>", b) }

// ByteOf reads what ByteName writes.
func ByteOf(token string) (byte, bool) {
	if len(token) != 6 || token[:3] != "<0x" || token[5] != '>' {
		return 0, false
	}
	v, err := strconv.ParseUint(token[3:5], 16, 8)
	return byte(v), err == nil
}
