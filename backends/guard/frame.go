package guard

import (
	"bytes"
	"strconv"
	"strings"
)

// frame finds the end of one HTTP/1.1 response in the bytes of a connection (RFC 9112 §6.3): by its
// length, its chunks, or the end of the connection. It never sees responses to HEAD, since no such
// requests are made. A response that it cannot parse has no end, so its connection is not reused.
type frame struct {
	at   stage
	line []byte // of a header or chunk size, as far as it has come
	left int64  // bytes of a body or chunk

	status  int
	chunked bool
	length  int64
	sized   bool
	headed  bool // the status line was read
}

type stage int

const (
	inHead    stage = iota
	inBody          // left bytes of it
	inSize          // of a chunk, in hexadecimal digits
	inChunk         // left bytes of it
	inBreak         // the line break behind a chunk
	inTrailer       // behind the last chunk
	endless         // until the connection ends
)

// longestLine is the longest header that is looked at; net/http takes 10 MB of
// headers in all.
const longestLine = 1 << 20

// take consumes bytes and returns how many belong to the response, and whether the response ended
// there.
func (f *frame) take(p []byte) (n int, done bool) {
	for n < len(p) {
		switch f.at {
		case endless:
			return len(p), false
		case inBody, inChunk:
			k := min(int64(len(p)-n), f.left)
			n += int(k)
			if f.left -= k; f.left > 0 {
				continue
			}
			if f.at == inBody {
				return n, true
			}
			f.at = inBreak
		default:
			i := bytes.IndexByte(p[n:], '\n')
			if i < 0 {
				if f.line = append(f.line, p[n:]...); len(f.line) > longestLine {
					f.at = endless
				}
				return len(p), false
			}
			line := strings.TrimRight(string(append(f.line, p[n:n+i]...)), "\r")
			f.line = f.line[:0]
			n += i + 1
			if f.next(line) {
				return n, true
			}
		}
	}
	return n, false
}

// next reads one line; true = the response ended with it.
func (f *frame) next(line string) bool {
	switch f.at {
	case inSize:
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseInt(strings.TrimSpace(digits), 16, 64)
		switch {
		case err != nil || size < 0:
			f.at = endless
		case size == 0:
			f.at = inTrailer
		default:
			f.at, f.left = inChunk, size
		}
	case inBreak:
		if f.at = inSize; line != "" {
			f.at = endless
		}
	case inTrailer:
		return line == ""
	case inHead:
		return f.head(line)
	}
	return false
}

func (f *frame) head(line string) bool {
	switch {
	case !f.headed:
		if line == "" {
			return false // RFC 9112 §2.2: blank lines may come first
		}
		words := strings.Fields(line)
		if len(words) < 2 || !strings.HasPrefix(words[0], "HTTP/1.") {
			f.at = endless
			return false
		}
		f.status, _ = strconv.Atoi(words[1])
		f.headed = true
		return false
	case line != "":
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "transfer-encoding":
			f.chunked = strings.HasSuffix(strings.ToLower(value), "chunked")
		case "content-length":
			n, err := strconv.ParseInt(value, 10, 64)
			f.length, f.sized = n, err == nil && n >= 0
		}
		return false
	}
	switch {
	case f.status >= 100 && f.status < 200 && f.status != 101: // the response proper follows
		*f = frame{line: f.line}
	case f.status == 204 || f.status == 304:
		return true
	case f.chunked:
		f.at = inSize
	case f.sized && f.length == 0:
		return true
	case f.sized:
		f.at, f.left = inBody, f.length
	default:
		f.at = endless
	}
	return false
}
