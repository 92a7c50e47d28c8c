package dialect

import (
	"hash/maphash"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Some models begin a call, do not close it and begin it again: they mean it once.

// A previous is what is known of the call that was read last.
type previous struct {
	runs     bool // it can be executed
	unclosed bool // a closing mark of it is missing, and no safe fix adds it
	hash     uint64
	end      int
	lacks    *diag.Finding // that mark, with a fix that is wrong if the call is begun again; nil if it has been passed on
}

// take takes in a call, and returns how many bytes were looked at.
func (p *previous) take(c *chat.Call) int {
	*p = previous{runs: c.Executable, hash: hashOf(c), end: c.End}
	return len(c.Name) + len(c.Arguments)
}

// again reports whether a call repeats the one before it, which is not closed and
// behind which no text stands: text has been read up to an offset.
func (p *previous) again(c *chat.Call, text int) bool {
	return p.runs && p.unclosed && c.Executable && text <= p.end && p.hash == hashOf(c)
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

// lacksMark keeps a finding back that a call is not closed, if it suggests to close it: with the mark a call that
// is begun again would be two.
func (p *previous) lacksMark(f *diag.Finding) bool {
	if p.lacks != nil || f.Code != diag.MissingCloser || f.Call == nil || len(f.Fixes) == 0 || f.Fixes[0].Kind == diag.Safe {
		return false
	}
	p.lacks = f
	return true
}

// passLack passes on what was kept back: another call has come, or the end.
func (s *Scanner) passLack(again bool) {
	f := s.previous.lacks
	if f == nil {
		return
	}
	if s.previous.lacks = nil; again {
		f.Fixes = nil
	}
	s.emit(Event{Finding: f})
}
