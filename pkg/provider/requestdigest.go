package provider

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// digestFormat is the version of the canonical form, so that digests of different forms never agree.
const digestFormat = "oneshot request 3"

// Digest identifies everything sent to a model except the model's name: it is the SHA-256, in hexadecimal digits,
// of a canonical form of the request. Invalid UTF-8 counts as U+FFFD, as it is sent and recorded; JSON of a model
// or a definition counts without whitespace between tokens, which records do not keep. The cost is linear in the
// request; see [MessageDigest] for growing conversations.
func Digest(req chat.Request) string {
	var c MessageDigest
	c.Add(req.Messages...)
	return c.RequestDigest(req)
}

// A MessageDigest is the incremental digest of the messages of a conversation: each message is hashed once. The zero value
// has no messages.
type MessageDigest struct {
	count int
	sum   [sha256.Size]byte // hash of the previous sum and the last message
}

// Add adds messages.
func (c *MessageDigest) Add(messages ...chat.Message) {
	for _, m := range messages {
		d := digestWriter{hash: sha256.New()}
		d.hash.Write(c.sum[:])
		d.message(m)
		d.hash.Sum(c.sum[:0])
		c.count++
	}
}

// Count returns the number of added messages.
func (c *MessageDigest) Count() int { return c.count }

// RequestDigest returns the [Digest] of req with the added messages instead of req.Messages.
func (c *MessageDigest) RequestDigest(req chat.Request) string {
	d := digestWriter{hash: sha256.New()}
	d.text(digestFormat)
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

// A digestWriter hashes texts and numbers unambiguously: each text is preceded by its length.
type digestWriter struct {
	hash hash.Hash
	buf  []byte
}

// message hashes the sent parts of a message.
func (d *digestWriter) message(m chat.Message) {
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
	for _, a := range m.Attachments {
		d.text(a.Name)
		d.text(a.Type)
		d.text(a.SHA256)
	}
}

func (d *digestWriter) number(n int) {
	d.buf = binary.AppendUvarint(d.buf[:0], uint64(n))
	d.hash.Write(d.buf)
}

func (d *digestWriter) flag(set bool) {
	if set {
		d.number(1)
	} else {
		d.number(0)
	}
}

func (d *digestWriter) json(raw []byte) { d.text(wire.Compact(raw)) }

func (d *digestWriter) text(s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	d.number(len(s))
	d.buf = append(d.buf[:0], s...)
	d.hash.Write(d.buf)
}
