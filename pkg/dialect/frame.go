package dialect

import (
	"bytes"
	"fmt"
	"slices"

	"oneshot/pkg/diag"
)

// A frame is where calls stand: behind a mark, in a fence, or in JSON outside of
// fences, which has neither.
type frame struct {
	row     *Dialect
	grammar *grammar
	fence
	mark    string    // the mark that opens it, "" for none
	sign    string    // what else says that it holds calls
	lacks   string    // the mark that should stand before it, and is missing
	also    []string  // other dialects that begin so
	at      int       // where it begins
	form    fenceForm // of the fence
	infoAt  int       // offset of the info string
	bodyAt  int       // offset behind it
	held    int       // bytes of the opening line among those that are held
	folded  bool      // the info string is in another case
	oneLine int       // offset of text behind the info string on its line, or -1
	begin   int       // where the body begins to read
	end     int       // behind its last byte; 0 if it has none of its own
	values  int       // how many frames hold calls, or values of JSON in them, up to here
	sure    bool      // it holds calls, whatever they are
}

func (f *frame) info() string { return f.form.info }

// reopens returns the info string that opens a fence like this one for certain, ""
// if there is none.
func (f *frame) reopens() string {
	if forms := f.row.framing.fences; len(forms) > 0 {
		return forms[0].info
	}
	return ""
}

// A body reads the inside of a frame.
type body interface {
	// write reads p up to the end of the frame and says how it came.
	write(p []byte) (n int, end ending)
	// close says that the text has ended.
	close()
}

// An ending says how a frame has ended.
type ending int

const (
	notYet    ending = iota
	closed           // with the run that closes its fence
	ended            // with the last byte that belongs to it
	left             // it holds no more calls: what comes next is text
	leftRun          // the same, and it begins with a run of fence characters, see beginRun
	leftOther        // the same, and it begins with the rest of an object that is not ours
)

// enter begins to read a frame behind a mark at an offset.
func (s *Scanner) enter(u use, at int, mark string) {
	row, g := u.row, &u.row.grammar
	switch {
	case u.grammar != nil:
		g = u.grammar
	case u.role == starts && row.framing.bare != nil:
		g = row.framing.bare
	}
	s.frame = frame{row: row, grammar: g, mark: mark, at: at, begin: at, lacks: u.lacks, oneLine: -1, values: s.frame.values, sure: u.role != starts}
	if u.role == begins {
		s.frame.begin += len(mark)
	}
	s.begun = s.begun || s.frame.sure
	s.place, s.body = inBody, g.body(s, s.frame)
	if s.frame.sure {
		s.framed()
	}
}

// beginFrame opens a fence that can be ours, behind its info string.
func (s *Scanner) beginFrame() {
	i := &s.info
	s.frame = frame{
		fence: s.opener, at: s.opener.at, infoAt: i.at, bodyAt: i.at + i.length, held: len(s.held),
		oneLine: -1, values: s.frame.values,
	}
	s.place = inFirst
}

// first reads up to where it is known whether the fence is ours.
func (s *Scanner) first(p []byte) int {
	lead := s.held[s.frame.held:]
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
	for _, f := range s.forms(s.info.fits) {
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
	for _, f := range s.forms(s.info.fits) {
		if f.sure {
			return f, yes
		}
	}
	return fenceUse{}, no
}

// closeFirst takes a fence that ends before its first word.
func (s *Scanner) closeFirst() {
	if f, v := s.sureForm(); v == yes {
		s.enterFence(f, s.held[s.frame.held:])
	}
}

// refuseFence goes on with a fence that is not ours, behind its opening line.
func (s *Scanner) refuseFence(lead []byte) {
	forms := s.forms(s.info.fits)
	s.readAgain(lead)
	s.held = s.held[:s.frame.held]
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
	fr.row, fr.form, fr.sure = f.row, *f.fenceForm, f.sure
	fr.folded = string(s.held[fr.infoAt-s.heldAt:fr.held]) != f.info
	word := trimLeft(lead)
	blank := len(lead) - len(word)
	if len(word) > 0 && !bytes.ContainsAny(lead[:blank], "\r\n") {
		fr.oneLine = fr.bodyAt + blank
	}
	fr.begin = fr.bodyAt
	if !f.sure {
		lead, fr.begin, fr.held = word, fr.bodyAt+blank, fr.held+blank
	}
	s.readAgain(lead)
	s.held = s.held[:fr.held]
	if f.sure {
		s.known("before the calls")
	}
	f.row.begin(s)
}

// enterObject begins to read JSON outside of fences, at an offset.
func (s *Scanner) enterObject(at int) {
	s.frame = frame{row: s.marks.objects, at: at, begin: at, oneLine: -1, values: s.frame.values}
	s.frame.row.begin(s)
}

// begin begins to read a frame without a mark.
func (d *Dialect) begin(s *Scanner) {
	s.frame.grammar = d.framing.bare
	if s.frame.grammar == nil {
		s.frame.grammar = &d.grammar
	}
	s.place, s.body = inBody, s.frame.grammar.body(s, s.frame)
}

// known says that the frame holds calls, and that the bytes which are held belong
// to it. It reports what is wrong with its opening line.
func (s *Scanner) known(outside string) {
	f := &s.frame
	s.alone = f.row.framing.alone
	s.reportOutside(outside)
	s.drop()
	s.begun = true
	f.values++
	s.framed()
	if f.folded {
		s.caseFinding()
	}
	if f.oneLine >= 0 {
		s.lineFinding(diag.Bytes(f.bodyAt, f.oneLine), diag.Safe, "text stands behind the info string on the opening line")
	}
	f.folded, f.oneLine = false, -1
}

// caseFinding reports an info string in another case.
func (s *Scanner) caseFinding() {
	info := s.frame.info()
	place := diag.Bytes(s.frame.infoAt, s.frame.bodyAt)
	f := diag.New(diag.FenceLine, place, "the info string should be %q in small letters", info)
	f.Severity = diag.Info
	f.Fixes = fix("write "+info, diag.Edit{Start: place.Start, End: place.End, New: info})
	s.find(f)
}

// readBody reads the inside of a frame.
func (s *Scanner) readBody(p []byte) int {
	n, end := s.body.write(p)
	f := s.frame.fence
	if end != notYet {
		s.progress(n)
	}
	switch end {
	case notYet:
		return n
	case closed:
		s.opener = fence{char: f.char, length: f.length, at: s.at + n - f.length}
		s.place = inCloser
	case ended:
		s.frame.end = s.at + n - len(s.given)
		if len(s.frame.row.framing.closes) > 0 {
			s.wrap = wrap{}
		}
		s.place = s.betweenFrames()
		if s.wrap.open() {
			s.place = inGap
		}
	case left:
		s.place = inProse
	case leftOther:
		s.place = inOther
	}
	s.body = nil
	return n
}

// progress makes content of the mark of a frame that has given all of itself back,
// n bytes into a piece: it would begin the same frame again.
func (s *Scanner) progress(n int) {
	at, size := s.at+n-len(s.given), len(s.frame.mark)
	if size == 0 || at > s.frame.at || len(s.given) < size {
		return
	}
	s.content(at, string(s.given[:size]))
	s.given = s.given[size:]
}

// betweenFrames returns the place where no text stands yet: at the start of the
// response, and behind a frame.
func (s *Scanner) betweenFrames() place {
	if len(s.marks.starts) > 0 && !s.thinking.inside {
		return inStart
	}
	return inProse
}

// start reads up to the first byte that is no blank, or behind a separator of
// calls: it is one if a call follows.
func (s *Scanner) start(p []byte) int {
	n := 0
	for n < len(p) && isSpace(p[n]) {
		s.lineBlank = s.lineBlank || isNewline(p[n])
		n++
	}
	if n == 0 {
		if s.strayBracket(p[0]) {
			return 1
		}
		if s.frame.values > 0 && !s.alone && (p[0] == ';' || p[0] == ',') {
			n = 1
		}
		s.hold(p[:n])
		s.pending = pending{uses: s.marks.starts, size: n}
		s.place = inLead
		return n
	}
	s.content(s.at, string(p[:n]))
	return n
}

// strayBracket reports a closing bracket right behind JSON without a mark. It is no
// text, as it would be none in a frame.
func (s *Scanner) strayBracket(c byte) bool {
	if c != ']' && c != '}' || s.frame.mark != "" || s.frame.fence.open() || s.at != s.frame.end || s.at == 0 {
		return false
	}
	f := diag.New(diag.Bracket, diag.Bytes(s.at, s.at+1), "%q closes nothing", c)
	f.Severity = diag.Warning
	f.Fixes = fix("remove it", diag.Edit{Start: s.at, End: s.at + 1})
	s.find(f)
	s.frame.end++
	return true
}

// wrap is what is known of the marks around calls.
type wrap struct {
	row   *Dialect
	depth int // how many are open
	at    int // where the first stands
	text  string
}

func (w wrap) open() bool { return w.row != nil }

// wrapped follows a mark before calls. Of several the last tells the dialect best.
func (s *Scanner) wrapped(row *Dialect, at int, text string) {
	if !s.wrap.open() {
		s.wrap = wrap{at: at, text: text}
	}
	s.wrap.row = row
	s.wrap.depth++
	s.place = inGap
}

// unwrapped follows a mark behind calls.
func (s *Scanner) unwrapped(row *Dialect, at int, text string) {
	place := diag.Bytes(at, at+len(text))
	switch {
	case s.wrap.open():
		s.wrap.depth--
	case s.frame.row == row && row.wrapsCalls() && !s.textBehind():
		f := diag.New(diag.MissingOpener, place, "the mark that this one closes is missing before the calls")
		s.find(f)
	case s.textBehind():
		s.stray(place)
		return
	default:
		s.stray(place)
	}
	if s.wrap.depth <= 0 {
		s.wrap = wrap{}
	}
	s.place = s.betweenFrames()
}

// textBehind reports whether text stands behind the last frame.
func (s *Scanner) textBehind() bool { return s.outside.any && s.outside.to > s.frame.end }

// wrapsCalls reports whether marks stand around the calls of a dialect, besides
// their own.
func (d *Dialect) wrapsCalls() bool {
	return slices.ContainsFunc(d.framing.marks, func(m mark) bool { return m.role == wraps || m.around })
}

// closeWrap reports calls whose closing mark is missing at the end of the text.
func (s *Scanner) closeWrap() {
	if w := s.wrap; w.open() {
		s.find(diag.New(diag.MissingCloser, diag.Bytes(w.at, w.at+len(w.text)), "%s", fmt.Sprintf("what %s opens is not closed", w.text)))
	}
}

// readGap passes over the blanks behind a mark around calls.
func (s *Scanner) readGap(p []byte) int {
	n := 0
	for n < len(p) && isSpace(p[n]) {
		n++
	}
	if n < len(p) {
		s.place = s.betweenFrames()
		s.lineBlank = true
	}
	return n
}
