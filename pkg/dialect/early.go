package dialect

// Some marks have many uses, and the first byte behind them is enough to tell that
// most of those do not count. What each byte tells is looked up.

// fewUses is how many uses of a mark are looked at one by one.
const fewUses = 8

// early tells which uses of a mark can count with the text behind it.
type early struct {
	none   told      // behind which nothing has come
	first  [128]told // a byte of ASCII
	second [128]told // or a line end, and one
}

// told is what a text behind a mark tells of its uses, a bit for each of them.
type told struct{ may, does uint64 } // go on, and count

// newEarly returns what is looked up of uses in texts that are read in several
// dialects, nil where they are few.
func newEarly(uses []use) *early {
	if len(uses) <= fewUses || len(uses) > 64 {
		return nil
	}
	e := &early{none: tell(uses, nil)}
	for c := range byte(128) {
		e.first[c] = tell(uses, []byte{c})
		e.second[c] = tell(uses, []byte{'\n', c})
	}
	return e
}

func tell(uses []use, behind []byte) told {
	var t told
	for i, u := range uses {
		v := yes
		if u.lead != nil {
			v = u.lead(behind)
		}
		if v != no {
			t.may |= 1 << i
		}
		if v == yes {
			t.does |= 1 << i
		}
	}
	return t
}

// tell returns what a text behind a mark tells: if it is not known, each use has to
// be looked at.
func (e *early) tell(behind []byte) told {
	switch n := len(behind); {
	case e == nil:
	case n == 0:
		return e.none
	case n == 1 && behind[0] < 128:
		return e.first[behind[0]]
	case n == 2 && behind[0] == '\n' && behind[1] < 128:
		return e.second[behind[1]]
	}
	return told{^uint64(0), ^uint64(0)}
}
