package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/chat"
)

// digestForm names the canonical form. It changes with the form, so that
// digests of two forms never agree.
const digestForm = "oneshot request 1"

// Digest identifies everything that a model is sent, the model's own name
// excepted: it is the SHA-256, in hexadecimal digits, of a canonical form of
// the request. Bytes that are not UTF-8 count as U+FFFD, which is how they are
// sent and recorded. The cost is linear in the request.
func Digest(req chat.Request) string {
	d := digester{hash: sha256.New()}
	d.text(digestForm)
	d.text(string(req.Purpose))
	d.text(req.System)
	d.number(len(req.Messages))
	for _, m := range req.Messages {
		d.text(string(m.Role))
		d.text(m.Content)
	}
	d.text(string(req.Format))
	d.number(len(req.Params))
	for _, name := range slices.Sorted(maps.Keys(req.Params)) {
		d.text(name)
		d.text(string(req.Params[name]))
	}
	return hex.EncodeToString(d.hash.Sum(nil))
}

// A digester hashes texts and numbers so that no two sequences of them give the
// same bytes: a text comes after its length.
type digester struct {
	hash hash.Hash
	buf  []byte
}

func (d *digester) number(n int) {
	d.buf = binary.AppendUvarint(d.buf[:0], uint64(n))
	d.hash.Write(d.buf)
}

func (d *digester) text(s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	d.number(len(s))
	d.buf = append(d.buf[:0], s...)
	d.hash.Write(d.buf)
}
