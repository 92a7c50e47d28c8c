package dialect

import "hash/maphash"

// idSeed makes the hashes of ids unpredictable.
var idSeed = maphash.MakeSeed()

// An idSet remembers the ids of the first [MaxKept] calls, by their hashes: an id can
// be as long as its call.
type idSet map[uint64]struct{}

// add reports whether an id is new.
func (s *idSet) add(id string) bool {
	hash := maphash.String(idSeed, id)
	if _, known := (*s)[hash]; known {
		return false
	}
	if *s == nil {
		*s = idSet{}
	}
	if len(*s) < MaxKept {
		(*s)[hash] = struct{}{}
	}
	return true
}
