package dialect

// FenceInfo returns the info string of the fences in which this dialect writes calls, "" where it
// needs none.
func (d Dialect) FenceInfo() string {
	if !d.isFencedOnly() {
		return ""
	}
	return d.framing.fences[0].info
}

// isFencedOnly reports whether a prompt can teach the dialect, and its calls are in fences of a
// word of its own and nowhere else.
func (d Dialect) isFencedOnly() bool {
	f := &d.framing
	return d.IsTeachable() && len(f.fences) > 0 && f.fences[0].certain && f.markers == nil && f.implicit == nil && f.firstKeys == nil
}

// WithNonce returns the dialect with a word, of small letters and digits, in the info string of
// its fences: tool-WORD for tool. A fence without it is text, and a finding: who does not
// know the word cannot write a call. A word that it had before does not count any more. It reports false for a dialect whose calls can be elsewhere,
// and an empty word changes nothing.
func (d Dialect) WithNonce(word string) (Dialect, bool) {
	if !d.isFencedOnly() || word == "" {
		return d, d.isFencedOnly()
	}
	if d.hasNonce {
		d, _ = Lookup(d.Name)
	}
	plain := d.framing.fences[0]
	own := plain
	own.info += "-" + word
	plain.lookahead = never
	plain.mismatch = "only a fence marked " + plain.info + "- and the nonce of this run holds calls; this one is not read"
	d.framing.fences = []fenceSpec{own, plain}
	d.hasNonce = true
	return d, true
}
