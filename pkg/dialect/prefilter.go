package dialect

// Some marks have many uses, and the first byte behind them is enough to tell that
// maxTrailing of those do not count. What each byte tells is looked up.

// minPrefilterUses is how many uses of a mark are looked at one by one.
const minPrefilterUses = 8

// prefilter tells which uses of a mark can count with the text behind it.
type prefilter struct {
	empty  useBits      // behind which nothing has come
	first  [128]useBits // a byte of ASCII
	second [128]useBits // or a line end, and one
}

// reported is what a text behind a mark tells of its uses, a bit for each of them.
type useBits struct{ possible, certain uint64 } // go on, and count

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

func prefilterUses(uses []markerUse, behind []byte) useBits {
	var t useBits
	for i, u := range uses {
		v := yes
		if u.lookahead != nil {
			v = u.lookahead(behind)
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

// lookup returns what a text behind a mark tells: if it is not known, each use has to
// be looked at.
func (e *prefilter) lookup(behind []byte) useBits {
	switch n := len(behind); {
	case e == nil:
	case n == 0:
		return e.empty
	case n == 1 && behind[0] < 128:
		return e.first[behind[0]]
	case n == 2 && behind[0] == '\n' && behind[1] < 128:
		return e.second[behind[1]]
	}
	return useBits{^uint64(0), ^uint64(0)}
}
