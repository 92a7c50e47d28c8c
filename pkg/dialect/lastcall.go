package dialect

import (
	"hash/maphash"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Some models begin a call, do not close it and begin it again: they mean it once.

// A lastCall is what is known of the call that was read last.
type lastCall struct {
	executable bool // it can be executed
	unclosed   bool // a closing marker of it is missing, and no safe fix adds it
	hash       uint64
	end        int
	deferred   *diag.Finding // that marker, with a fix that is wrong if the call is begun again; nil if it has been passed on
}

// set takes in a call, and returns how many bytes were looked at.
func (p *lastCall) set(c *chat.Call) int {
	*p = lastCall{executable: c.Executable, hash: hashOf(c), end: c.End}
	return len(c.Name) + len(c.Arguments)
}

// isRepeatedBy reports whether a call repeats the one before it, which is not closed and
// after which no text is: text has been read up to an offset.
func (p *lastCall) isRepeatedBy(c *chat.Call, text int) bool {
	return p.executable && p.unclosed && c.Executable && text <= p.end && p.hash == hashOf(c)
}

// hashOf returns a hash of the name of a call and of its arguments as they are.
func hashOf(c *chat.Call) uint64 {
	var h maphash.Hash
	h.SetSeed(idSeed)
	h.WriteString(c.Name)
	h.WriteByte(0)
	h.Write(c.Arguments)
	return h.Sum64()
}

// deferMissingCloser keeps a finding back that a call is not closed, if it suggests to close it: with the marker a call that
// is begun again would be two.
func (p *lastCall) deferMissingCloser(f *diag.Finding) bool {
	if p.deferred != nil || f.Code != diag.MissingCloser || f.Call == nil || len(f.Fixes) == 0 || f.Fixes[0].Kind == diag.Safe {
		return false
	}
	p.deferred = f
	return true
}

// emitDeferred emits what was kept back: another call has come, or the end.
func (s *Scanner) emitDeferred(again bool) {
	f := s.lastCall.deferred
	if f == nil {
		return
	}
	if s.lastCall.deferred = nil; again {
		f.Fixes = nil
	}
	s.emit(Event{Finding: f})
}
