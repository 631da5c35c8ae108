package drill

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"strconv"

	"infnet/harness/result"
	"infnet/reports"
)

// PerBlock is the number of records whose texts are packed together: a block is unpacked whole.
const PerBlock = 32

// Texts are the texts of a table in blocks of PerBlock records, each an array of Detail in JSON, deflated, in base64.
type Texts []string

// Detail is a record as it is opened. Of the first cascade on a dataset it holds everything; of further ones it leaves
// out the prompt and the references where they are the same.
type Detail struct {
	reports.Described
	Same bool `json:"same,omitempty"`
}

// texts packs the texts of one table.
type texts struct {
	first *Table              // the dataset's first that has texts; nil = this one
	asked [][sha256.Size]byte // by record, of a first table: what its prompt and references are
	count int
	open  []Detail
	done  Texts
	size  int64
}

// add packs a record.
func (x *texts) add(r *result.Record) error {
	d := Detail{Described: reports.Describe(*r)}
	sum := question(&d)
	if x.first == nil {
		x.asked = append(x.asked, sum)
	} else if x.count < len(x.first.texts.asked) && x.first.texts.asked[x.count] == sum {
		d.Prompt, d.References, d.Same = "", nil, true
	}
	x.open, x.count = append(x.open, d), x.count+1
	if len(x.open) == PerBlock {
		return x.flush()
	}
	return nil
}

// exceed says whether the texts have more bytes than the limit, or will: if what is packed of so many records says that
// all would have twice as many.
func (x *texts) exceed(limit int64, records int) bool {
	share := float64(len(x.done)*PerBlock) / float64(records)
	return x.size > limit || len(x.done) >= 64 && float64(x.size) > 2*float64(limit)*share
}

// question names what was asked and what is right.
func question(d *Detail) [sha256.Size]byte {
	var all []byte
	for _, s := range append([]string{d.Prompt}, d.References...) {
		all = append(strconv.AppendInt(all, int64(len(s)), 10), ':') // so that no two lists are alike
		all = append(all, s...)
	}
	return sha256.Sum256(all)
}

// flush packs what is left.
func (x *texts) flush() error {
	if len(x.open) == 0 {
		return nil
	}
	plain, err := json.Marshal(x.open)
	if err != nil {
		return err
	}
	packed, err := pack(plain)
	if err != nil {
		return err
	}
	x.done, x.open, x.size = append(x.done, packed), x.open[:0], x.size+int64(len(packed))+3 // quotes and a comma
	return nil
}

// pack deflates bytes and writes them in base64.
func pack(plain []byte) (string, error) {
	var out bytes.Buffer
	to := base64.NewEncoder(base64.StdEncoding, &out)
	if err := deflate(to, plain); err != nil {
		return "", err
	}
	if err := to.Close(); err != nil {
		return "", err
	}
	return out.String(), nil
}

// deflate writes bytes deflated. One version of Go gives the same bytes for the same input on every machine; another
// may give others, which say the same.
func deflate(to io.Writer, plain []byte) error {
	w, err := flate.NewWriter(to, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(plain); err != nil {
		return err
	}
	return w.Close()
}
