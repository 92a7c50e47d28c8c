package dialect

import "strings"

// FenceInfo returns the info string of the fences for calls in this dialect, or "" if calls need no fence.
func (d Dialect) FenceInfo() string {
	if !d.isFencedOnly() {
		return ""
	}
	return d.framing.fences[0].info
}

// isFencedOnly reports whether calls are only in fences with their own info string.
func (d Dialect) isFencedOnly() bool {
	f := &d.framing
	return len(f.fences) > 0 && f.fences[0].certain && f.markers == nil && f.implicit == nil && f.firstKeys == nil
}

// WithNonce returns the dialect with a nonce of lower-case letters and digits in the info string of its fences:
// tool-NONCE for tool. It replaces an earlier nonce. A fence without the nonce is text and a finding, so only a
// writer who knows the nonce can write a call. It reports false if calls can be outside fences. An empty nonce
// changes nothing.
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
	d.framing.affixes[0] = strings.Replace(d.framing.affixes[0], plain.info, own.info, 1)
	d.hasNonce = true
	return d, true
}
