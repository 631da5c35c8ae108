package spm

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"infnet/backends/runtime/pieces"
	_ "infnet/harness/seed/steady" // the same cases in every run
)

func load(t testing.TB, path string) *Model {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The expected ids are the SentencePiece library's (version in the file), by
// testdata/make_fixtures.py.
func TestEqualToTheLibrary(t *testing.T) {
	var want struct {
		Cases []struct {
			Text            string
			Fallback        []int32
			FallbackDecoded string `json:"fallback_decoded"`
		}
		Decode []struct {
			Fallback        []int32
			FallbackDecoded string `json:"fallback_decoded"`
		}
	}
	b, err := os.ReadFile("testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	fallback := load(t, "testdata/fallback.model")
	if len(want.Cases) < 500 || len(want.Decode) < 100 {
		t.Fatalf("only %d lines and %d sequences", len(want.Cases), len(want.Decode))
	}
	wholes := map[*Model]*Model{fallback: load(t, "testdata/fallback.model")}
	for m, whole := range wholes {
		if !m.splits {
			t.Error("the model's pieces reach over words, so the split into words is not tried")
		}
		whole.splits = false
	}
	check := func(name string, m *Model, text string, ids []int32) {
		t.Helper()
		if got := m.Encode(text); !slices.Equal(got, ids) {
			t.Errorf("%s %q:\n got %v\nwant %v", name, text, got, ids)
		}
		whole := wholes[m]
		if got := whole.Encode(text); !slices.Equal(got, ids) {
			t.Errorf("%s %q, not split into words:\n got %v\nwant %v", name, text, got, ids)
		}
	}
	decode := func(name string, m *Model, ids []int32, want string) {
		t.Helper()
		if got := m.Continue(ids); got != want {
			t.Errorf("%s: decode %v = %q, want %q", name, ids, got, want)
		}
	}
	for _, c := range want.Cases {
		text, err := base64.StdEncoding.DecodeString(c.Text)
		if err != nil {
			t.Fatal(err)
		}
		check("fallback", fallback, string(text), c.Fallback)
		decode("fallback", fallback, c.Fallback, c.FallbackDecoded)
	}
	for _, c := range want.Decode {
		decode("fallback", fallback, c.Fallback, c.FallbackDecoded)
	}
}

// message builds a model file: pieces, then trainer and normaliser fields.
func message(trainer, normalizer []byte, list ...piece) []byte {
	var b []byte
	for _, p := range list {
		var q []byte
		q = protowire.AppendTag(q, 1, protowire.BytesType)
		q = protowire.AppendString(q, p.text)
		q = protowire.AppendTag(q, 3, protowire.VarintType)
		q = protowire.AppendVarint(q, uint64(p.kind))
		b = protowire.AppendTag(b, 1, protowire.BytesType)
		b = protowire.AppendBytes(b, q)
	}
	for n, m := range [][]byte{trainer, normalizer} {
		b = protowire.AppendTag(b, protowire.Number(n+2), protowire.BytesType)
		b = protowire.AppendBytes(b, m)
	}
	return b
}

func number(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

func TestRefusedModels(t *testing.T) {
	unk := piece{text: "<unk>", kind: unknown}
	bpe := append(number(3, 2), number(35, 1)...)
	plain := append(number(3, 0), number(4, 0)...) // neither a blank in front nor blanks dropped
	bytes := []piece{unk}
	for b := range 256 {
		bytes = append(bytes, piece{text: pieces.ByteName(byte(b)), kind: byteValue})
	}
	with := func(p ...piece) []byte { return message(bpe, plain, append(slices.Clone(bytes), p...)...) }
	charsmap := protowire.AppendString(protowire.AppendTag(protowire.AppendString(protowire.AppendTag(nil, 1,
		protowire.BytesType), "nmt_nfkc"), 2, protowire.BytesType), "xx")
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"not a model", []byte("hello"), "corrupt file"},
		{"cut short", message(bpe, nil, unk)[:5], "corrupt file"},
		{"unigram by default", message(nil, plain, unk), "model type 1, byte fallback 0: only byte-pair encoding (2)"},
		{"no byte fallback", message(number(3, 2), plain, unk), "only byte-pair encoding (2) with byte fallback"},
		{"normalisation", message(bpe, append(charsmap, plain...), unk), "it rewrites text (field 2"},
		{"a blank in front", message(bpe, number(4, 0), unk), "it rewrites text (field 3"},
		{"blanks dropped", message(bpe, number(3, 0), unk), "it rewrites text (field 4"},
		{"suffix blanks", message(append(number(24, 1), bpe...), plain, unk), "it rewrites text (field 24"},
		{"no unknown piece", message(bpe, plain, piece{text: "a", kind: normal}), "no unknown piece"},
		{"two unknown pieces", with(piece{text: "x", kind: unknown}), "both the unknown piece"},
		{"twice", with(piece{text: "a", kind: normal}, piece{text: "a", kind: normal}), `piece "a" is listed twice`},
		{"empty piece", message(bpe, plain, unk, piece{kind: normal}), "piece 1 is empty"},
		{"odd type", message(bpe, plain, unk, piece{text: "a", kind: 9}), `piece 1 ("a") is of unknown type 9`},
		{"odd byte", message(bpe, plain, unk, piece{text: "<0xGG>", kind: byteValue}), `byte piece 1 is "<0xGG>"`},
		{"bytes missing", message(bpe, plain, unk), "it has 0 byte pieces: want 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Parse(with()); err != nil {
		t.Errorf("the base of these cases is refused: %v", err)
	}
}

func TestSpecial(t *testing.T) {
	m := load(t, "testdata/fallback.model")
	for _, c := range []struct {
		text string
		id   int
		ok   bool
	}{{"<bos>", 2, true}, {"<pad>", 0, true}, {"<start_of_turn>", 7, true}, {"the", 0, false}, {"<unk>", 0, false}} {
		if id, ok := m.Special(c.text); id != c.id || ok != c.ok {
			t.Errorf("%s: %d, %v, want %d, %v", c.text, id, ok, c.id, c.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(message(number(3, 2), nil, piece{text: "<unk>", kind: unknown}, piece{text: "a", kind: normal}))
	f.Fuzz(func(t *testing.T, file []byte) {
		if m, err := Parse(file); err == nil {
			m.Continue(m.Encode("a b <unk> é\xff"))
		}
	})
}
