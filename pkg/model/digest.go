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
const digestForm = "oneshot request 3"

// Digest identifies everything that a model is sent, the model's own name
// excepted: it is the SHA-256, in hexadecimal digits, of a canonical form of
// the request. Bytes that are not UTF-8 count as U+FFFD, which is how they are
// sent and recorded; JSON that comes from a model or a definition counts without
// the spaces between its tokens, which no record keeps. The cost is linear in
// the request; see [Chain] for conversations that grow.
func Digest(req chat.Request) string {
	var c Chain
	c.Add(req.Messages...)
	return c.Digest(req)
}

// A Chain is the digest of the messages of a conversation. Each is hashed once, when it is
// added, so that the digest of the next request costs only what is new in it. The zero
// value has no messages.
type Chain struct {
	count int
	sum   [sha256.Size]byte // of the sum before the last message, and that message
}

// Add adds the next messages.
func (c *Chain) Add(messages ...chat.Message) {
	for _, m := range messages {
		d := digester{hash: sha256.New()}
		d.hash.Write(c.sum[:])
		d.message(m)
		d.hash.Sum(c.sum[:0])
		c.count++
	}
}

// Count returns how many messages were added.
func (c *Chain) Count() int { return c.count }

// Digest returns the same as the function [Digest] for a request whose messages are those that
// were added. It does not look at req.Messages.
func (c *Chain) Digest(req chat.Request) string {
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
	d.number(c.count)
	d.hash.Write(c.sum[:])
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
