package dialect

import (
	"hash/maphash"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Some models begin a call, do not close it and begin it again: they mean one call.

// lastCall is the state of the latest call.
type lastCall struct {
	dialect    *Dialect
	executable bool
	unclosed   bool // a closing marker is missing and no safe fix adds it
	hash       uint64
	end        int
	deferred   *diag.Finding // the finding for that marker, whose fix is wrong if the call is repeated; nil once emitted
}

// record records a call, and returns the number of bytes inspected.
func (p *lastCall) record(c *chat.Call, row *Dialect) int {
	*p = lastCall{dialect: row, executable: c.Executable, hash: hashCall(c), end: c.End}
	return len(c.Name) + len(c.Arguments)
}

// isRepeatedBy reports whether a call repeats this unclosed one with no text in between; text is the offset up
// to which there is text.
func (p *lastCall) isRepeatedBy(c *chat.Call, text int) bool {
	return p.executable && p.unclosed && c.Executable && text <= p.end && p.hash == hashCall(c)
}

// hashCall hashes the name and the raw arguments of a call.
func hashCall(c *chat.Call) uint64 {
	var h maphash.Hash
	h.SetSeed(idSeed)
	h.WriteString(c.Name)
	h.WriteByte(0)
	h.Write(c.Arguments)
	return h.Sum64()
}

// deferMissingCloser holds back a finding with a fix that closes the call: if the call is repeated, the fix
// would make it two calls.
func (p *lastCall) deferMissingCloser(f *diag.Finding) bool {
	if p.deferred != nil || f.Code != diag.MissingCloser || f.Call == nil || len(f.Fixes) == 0 || f.Fixes[0].Kind == diag.Safe {
		return false
	}
	p.deferred = f
	return true
}
