package dialect

// Some markers have many uses, and the first byte after the marker rules out most of them. A table gives the
// remaining uses for each byte.

// minFilteredUses is the number of uses up to which a table does not pay.
const minFilteredUses = 8

// A markerUseFilter holds the uses of a marker that are possible with the first bytes after it.
type markerUseFilter struct {
	empty  useBits      // for no text
	first  [128]useBits // for one ASCII byte
	second [128]useBits // for a newline and one ASCII byte
}

// useBits classifies the uses of a marker, one bit each.
type useBits struct{ possible, certain uint64 } // not ruled out; decided

// newMarkerUseFilter returns the table for markers that are read in several dialects, or nil for few uses.
func newMarkerUseFilter(uses []markerUse) *markerUseFilter {
	if len(uses) <= minFilteredUses || len(uses) > 64 {
		return nil
	}
	f := &markerUseFilter{empty: possibleUses(uses, nil)}
	for c := range byte(128) {
		f.first[c] = possibleUses(uses, []byte{c})
		f.second[c] = possibleUses(uses, []byte{'\n', c})
	}
	return f
}

func possibleUses(uses []markerUse, following []byte) useBits {
	var t useBits
	for i, u := range uses {
		v := yes
		if u.lookahead != nil {
			v = u.lookahead(following)
		}
		if v != no {
			t.possible |= 1 << i
		}
		if v == yes {
			t.certain |= 1 << i
		}
	}
	return t
}

// lookup returns the uses left with the text after the marker. If the table has no entry for that text, all
// bits are set and each use must be checked.
func (f *markerUseFilter) lookup(following []byte) useBits {
	switch n := len(following); {
	case f == nil:
	case n == 0:
		return f.empty
	case n == 1 && following[0] < 128:
		return f.first[following[0]]
	case n == 2 && following[0] == '\n' && following[1] < 128:
		return f.second[following[1]]
	}
	return useBits{^uint64(0), ^uint64(0)}
}
