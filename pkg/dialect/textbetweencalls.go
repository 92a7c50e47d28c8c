package dialect

// surroundingText is the text between calls.
type surroundingText struct {
	from, to int // without blanks around it
	hasText  bool
	reported bool // a finding about it was reported
}

// add adds text at an offset, and returns the number of bytes inspected.
func (o *surroundingText) add(at int, text string) int {
	first, last := 0, len(text)
	for last > 0 && isSpace(text[last-1]) {
		last--
	}
	looked := len(text) - last
	if last == 0 {
		return looked
	}
	if !o.hasText {
		for isSpace(text[first]) {
			first++
		}
		o.from, o.hasText = at+first, true
	}
	o.to = at + last
	return looked + first
}
