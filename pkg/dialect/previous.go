package dialect

import (
	"hash/maphash"

	"oneshot/pkg/chat"
)

// Some models begin a call, do not close it and begin it again: they mean it once.

// A previous is what is known of the call that was read last.
type previous struct {
	runs     bool // it can be executed
	unclosed bool // a closing mark of it is missing, and no safe fix adds it
	hash     uint64
	end      int
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
