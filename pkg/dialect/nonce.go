package dialect

// Fence returns the info string of the fences in which this dialect writes calls, "" where it
// needs none.
func (d Dialect) Fence() string {
	if !d.fencedOnly() {
		return ""
	}
	return d.framing.fences[0].info
}

// fencedOnly reports whether a prompt can teach the dialect, and its calls stand in fences of a
// word of its own and nowhere else.
func (d Dialect) fencedOnly() bool {
	f := &d.framing
	return d.Taught() && len(f.fences) > 0 && f.fences[0].sure && f.marks == nil && f.start == nil && f.keys == nil
}

// Marked returns the dialect with a word, of small letters and digits, in the info string of
// its fences: tool-WORD for tool. A fence without it is text, and a finding: who does not
// know the word cannot write a call. A word that it had before does not count any more. It reports false for a dialect whose calls can stand elsewhere,
// and an empty word changes nothing.
func (d Dialect) Marked(word string) (Dialect, bool) {
	if !d.fencedOnly() || word == "" {
		return d, d.fencedOnly()
	}
	if d.marked {
		d, _ = Named(d.Name)
	}
	plain := d.framing.fences[0]
	own := plain
	own.info += "-" + word
	plain.lead = never
	plain.other = "only a fence with the word of this run behind " + plain.info + " holds calls; it is not read"
	d.framing.fences = []fenceForm{own, plain}
	d.marked = true
	return d, true
}
