package dialect

import (
	"hash/maphash"

	"oneshot/pkg/diag"
)

// An outside is the text between calls.
type outside struct {
	from, to int // from its first byte that is no blank to behind its last
	any      bool
	told     bool // there is a finding about it already
}

// add takes text at an offset, and returns how many bytes were looked at.
func (o *outside) add(at int, text string) int {
	first, last := 0, len(text)
	for last > 0 && isSpace(text[last-1]) {
		last--
	}
	looked := len(text) - last
	if last == 0 {
		return looked
	}
	if !o.any {
		for isSpace(text[first]) {
			first++
		}
		o.from, o.any = at+first, true
	}
	o.to = at + last
	return looked + first
}

// reportOutside reports the text since the last calls, in a dialect that wants
// the calls alone.
func (s *Scanner) reportOutside(where string) {
	if o := s.outside; o.any && !o.told && s.alone {
		s.find(diag.New(diag.TextAround, diag.Bytes(o.from, o.to), "text stands %s", where))
	}
	s.outside = outside{}
}

// closeOutside reports the text behind the last calls, or all of it where there
// are none.
func (s *Scanner) closeOutside() {
	switch {
	case s.holders > 0:
		s.reportOutside("behind the calls")
	case len(s.marks.rows) == 1:
		s.alone = s.marks.rows[0].framing.alone
		s.reportOutside("where only a JSON object with calls should")
	}
}

// idSeed makes the hashes of ids unpredictable.
var idSeed = maphash.MakeSeed()

// An idSet remembers ids of calls by hashes of 63 bits, those of the first
// [MaxKept].
type idSet struct {
	slots []uint64 // each hash is in the first slot from its own on that was free; 0 is a free one
	count int
}

// add reports whether an id is new.
func (s *idSet) add(id string) bool {
	if 2*s.count >= len(s.slots) && s.count < MaxKept {
		s.grow()
	}
	hash := maphash.String(idSeed, id) | 1
	slot := s.slot(hash)
	if s.slots[slot] == hash {
		return false
	}
	if s.count < MaxKept {
		s.slots[slot] = hash
		s.count++
	}
	return true
}

// slot returns the slot of a hash, which is free if that is not there.
func (s *idSet) slot(hash uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := hash >> 1 & mask
	for s.slots[i] != 0 && s.slots[i] != hash {
		i = (i + 1) & mask
	}
	return i
}

// grow doubles the slots.
func (s *idSet) grow() {
	before := s.slots
	s.slots = make([]uint64, max(16, 2*len(before)))
	for _, hash := range before {
		if hash != 0 {
			s.slots[s.slot(hash)] = hash
		}
	}
}
