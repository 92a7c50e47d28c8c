package dialect

import (
	"bytes"
	"slices"

	"oneshot/pkg/diag"
)

// An opening is the opening line of a fence that can be ours.
type opening struct {
	info   string // the info string, in small letters
	infoAt int    // its offset
	end    int    // behind it
	held   int    // bytes of the line among those that are held
	text   int    // offset of text behind the info string on its line; 0 for none
	folded bool   // the info string is in another case
}

// reopens returns the info string that opens a fence like this one for certain, ""
// if there is none.
func (f *frame) reopens() string {
	if forms := f.row.framing.fences; len(forms) > 0 {
		return forms[0].info
	}
	return ""
}

// beginFrame opens a fence that can be ours, behind its info string.
func (s *Scanner) beginFrame() {
	i := &s.info
	s.frame = frame{fence: s.opener, at: s.opener.at, opening: opening{infoAt: i.at, end: i.at + i.length, held: len(s.held)}}
	s.place = inFirst
}

// first reads up to where it is known whether the fence is ours.
func (s *Scanner) first(p []byte) int {
	lead := s.held[s.frame.opening.held:]
	f, v := s.form(lead)
	if v == more && len(lead) == longestLead {
		f, v = s.sureForm()
	}
	switch v {
	case yes:
		s.enterFence(f, lead)
	case no:
		s.refuseFence(lead)
	default:
		s.hold(p[:1])
		return 1
	}
	return 0
}

// form returns what kind of fence one is in which this text stands first.
func (s *Scanner) form(text []byte) (fenceUse, verdict) {
	s.steps += len(text)
	for f := range s.forms(s.info.fits) {
		v := yes
		if f.lead != nil {
			v = f.lead(text)
		}
		if v != no {
			return f, v
		}
	}
	return fenceUse{}, no
}

// sureForm returns what kind of fence one is by its info string alone.
func (s *Scanner) sureForm() (fenceUse, verdict) {
	for f := range s.forms(s.info.fits) {
		if f.sure {
			return f, yes
		}
	}
	return fenceUse{}, no
}

// closeFirst takes a fence that ends before its first word.
func (s *Scanner) closeFirst() {
	if f, v := s.sureForm(); v == yes {
		s.enterFence(f, s.held[s.frame.opening.held:])
	}
}

// refuseFence goes on with a fence that is not ours, behind its opening line.
func (s *Scanner) refuseFence(lead []byte) {
	forms := slices.Collect(s.forms(s.info.fits))
	s.readAgain(lead)
	s.held = s.held[:s.frame.opening.held]
	s.text()
	s.foreign = s.frame.fence
	if len(forms) == 1 && forms[0].sure {
		s.find(diag.New(diag.OtherDialect, s.frame.span(), "%s", forms[0].other))
	}
}

// enterFence begins to read a fence in which this text stands first. A fence that
// is not sure is held until it is known to hold calls.
func (s *Scanner) enterFence(f fenceUse, lead []byte) {
	fr := &s.frame
	o := &fr.opening
	fr.row, fr.sure, o.info = f.row, f.sure, f.info
	o.folded = string(s.held[o.infoAt-s.heldAt:o.held]) != f.info
	word := trimLeft(lead)
	blank := len(lead) - len(word)
	if len(word) > 0 && !bytes.ContainsAny(lead[:blank], "\r\n") {
		o.text = o.end + blank
	}
	fr.begin = o.end
	if !f.sure {
		lead, fr.begin, o.held = word, o.end+blank, o.held+blank
	}
	s.readAgain(lead)
	s.held = s.held[:o.held]
	if f.sure {
		s.known("before the calls")
	}
	s.beginBody(f.row.bare())
}

// checkOpening reports, once, what is wrong with the opening line of the frame.
func (s *Scanner) checkOpening() {
	o := &s.frame.opening
	if o.folded {
		f := diag.New(diag.FenceLine, diag.Bytes(o.infoAt, o.end), "the info string should be %q in small letters", o.info)
		f.Severity = diag.Info
		f.Fixes = fix(diag.Safe, "write "+o.info, diag.Edit{Start: o.infoAt, End: o.end, New: o.info})
		s.find(f)
	}
	if o.text > 0 {
		s.lineFinding(diag.Bytes(o.end, o.text), diag.Safe, "text after the info string of the opening fence")
	}
	o.folded, o.text = false, 0
}
