package dialect

import "hash/maphash"

// idSeed makes the hashes of IDs unpredictable.
var idSeed = maphash.MakeSeed()

// An idSet contains the IDs of the first [MaxKept] calls as hashes: an ID can be as long as its call.
type idSet map[uint64]struct{}

// addIfNew reports whether an ID is new, and adds it.
func (s *idSet) addIfNew(id string) bool {
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

// MaxKept bounds the kept calls and the kept findings of one response: a text can contain one in every few
// bytes.
const MaxKept = 10_000
