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
const digestForm = "oneshot request 2"

// Digest identifies everything that a model is sent, the model's own name
// excepted: it is the SHA-256, in hexadecimal digits, of a canonical form of
// the request. Bytes that are not UTF-8 count as U+FFFD, which is how they are
// sent and recorded; JSON that comes from a model or a definition counts without
// the spaces between its tokens, which no record keeps. The cost is linear in
// the request.
func Digest(req chat.Request) string {
	d := digester{hash: sha256.New()}
	d.text(digestForm)
	d.text(string(req.Purpose))
	d.text(req.System)
	d.number(len(req.Tools))
	for _, f := range req.Tools {
		d.text(f.Name)
		d.text(f.Description)
		d.json(f.Parameters)
	}
	d.number(len(req.Messages))
	for _, m := range req.Messages {
		d.message(m)
	}
	d.text(string(req.Format))
	d.flag(req.AnyJSON)
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

// message hashes what is sent of a message.
func (d *digester) message(m chat.Message) {
	d.text(string(m.Role))
	d.text(m.Content)
	d.text(m.CallID)
	d.text(m.Name)
	d.number(len(m.Calls))
	for _, c := range m.Calls {
		d.text(c.ID)
		d.text(c.Name)
		d.json(c.Arguments)
	}
	d.flag(m.Native != nil)
	if m.Native != nil {
		d.text(m.Native.API)
		d.text(m.Native.Model)
		d.json(m.Native.Body)
	}
}

func (d *digester) number(n int) {
	d.buf = binary.AppendUvarint(d.buf[:0], uint64(n))
	d.hash.Write(d.buf)
}

func (d *digester) flag(set bool) {
	if set {
		d.number(1)
	} else {
		d.number(0)
	}
}

func (d *digester) json(raw []byte) { d.text(compact(raw)) }

func (d *digester) text(s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	d.number(len(s))
	d.buf = append(d.buf[:0], s...)
	d.hash.Write(d.buf)
}
