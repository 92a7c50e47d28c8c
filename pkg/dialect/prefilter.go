package dialect

// Some markers have many uses, and the first byte after them is enough to tell that
// most of those do not count. What each byte tells is looked up.

// minPrefilterUses is how many uses of a marker are looked at one by one.
const minPrefilterUses = 8

// prefilter tells which uses of a marker can count with the text after it.
type prefilter struct {
	empty  useBits      // after which nothing has come
	first  [128]useBits // a byte of ASCII
	second [128]useBits // or a line end, and one
}

// useBits is what a text after a marker tells of its uses, a bit for each of them.
type useBits struct{ possible, certain uint64 } // continue, and count

// newPrefilter returns what is looked up of uses in texts that are read in several
// dialects, nil where they are few.
func newPrefilter(uses []markerUse) *prefilter {
	if len(uses) <= minPrefilterUses || len(uses) > 64 {
		return nil
	}
	e := &prefilter{empty: prefilterUses(uses, nil)}
	for c := range byte(128) {
		e.first[c] = prefilterUses(uses, []byte{c})
		e.second[c] = prefilterUses(uses, []byte{'\n', c})
	}
	return e
}

func prefilterUses(uses []markerUse, following []byte) useBits {
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

// lookup returns what a text after a marker tells: if it is not known, each use has to
// be looked at.
func (e *prefilter) lookup(following []byte) useBits {
	switch n := len(following); {
	case e == nil:
	case n == 0:
		return e.empty
	case n == 1 && following[0] < 128:
		return e.first[following[0]]
	case n == 2 && following[0] == '\n' && following[1] < 128:
		return e.second[following[1]]
	}
	return useBits{^uint64(0), ^uint64(0)}
}
