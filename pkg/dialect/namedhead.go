package dialect

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// longestHead bounds what stands before a mark of the head, in bytes.
const longestHead = longestName + 64

// openFence is what opens a code fence around arguments.
const openFence = "```json"

// A head is what stands before the arguments.
type head struct {
	upTo
	at     int    // where it begins
	text   []byte // what has been read of it
	piece  int    // where in it begins what is being read
	name   string
	from   int // where in it the name begins
	id     string
	word   bool         // a word has been read that stands instead of the name
	wordAt int          // where in it that begins
	marked bool         // a mark has been read behind the name
	lacks  diag.Finding // a mark with nothing before it, without the word for what is missing
	kind   string       // another word than the one that should stand there
	kindAt int          // where in it that begins
}

// readHead reads up to the next mark of the head.
func (b *namedBody) readHead(p []byte) (int, ending) {
	h := &b.head
	n, free, mark := h.next(p[:min(len(p), longestHead+1-h.length())])
	from := len(h.text)
	h.text = append(h.text, free...)
	b.scanner.steps += n
	if before, rest, ends := b.scanner.cutDraft(h.text, from); ends {
		h.text = before
		b.cutHead("the reasoning ends")
		b.scanner.readAgain(slices.Concat(rest, []byte(h.held()+mark)))
		return n, left
	}
	switch {
	case mark == "" && h.length() <= longestHead:
		return n, notYet
	case mark == "" || !b.headMark(mark):
		return n, b.refuse(mark)
	case mark == "{" && b.stage == behindName:
		b.begin(b.at + n - 1)
		return n - 1, notYet
	}
	h.text = append(h.text, mark...)
	h.piece = len(h.text)
	if b.plain != "" && h.name == b.plain {
		return n, left
	}
	return n, notYet
}

// length returns how many bytes have been read behind the latest mark.
func (h *head) length() int { return len(h.text) - h.piece + h.waiting() }

// headMark takes a mark of the head and the piece before it. It reports false
// where no call looks so.
func (b *namedBody) headMark(mark string) bool {
	h := &b.head
	piece := string(h.text[h.piece:])
	name, fenced, ok := cutFence(piece)
	if isHead := mark == "{" || mark == b.id || mark == b.before || slices.Contains(b.behind, mark); !ok || !isHead || strings.Contains(name, "</") {
		return false
	}
	at := h.piece + strings.Index(piece, name)
	fence := mark == openFence
	if fence { // the arguments begin behind it
		mark = "{"
	}
	switch {
	case mark == "\n" && name == "": // an empty line before the name
		return true
	case mark == b.before:
		h.id = name
		return h.name == ""
	case h.name != "": // what stands behind the mark of the id
		h.id = name
	case name == "" && h.word && mark == "{" && h.lacks.Code == "": // the word was the name
		h.name, h.from = b.word, h.wordAt
	case name == "":
		return b.unnamed(mark)
	case mark == "{" && !h.marked && strings.ContainsAny(name, " \t"): // a sentence
		return false
	case name == b.word && !h.word && mark != "{": // the name is still to come
		h.word, h.marked, h.wordAt = true, true, at
		return true
	default:
		h.name, h.from = name, at
		b.doubtWord(mark)
	}
	h.marked = h.marked || mark != "{"
	switch {
	case fence:
		b.opened, b.fenceAt = len(openFence), h.at+len(h.text)
	case fenced:
		b.opened, b.fenceAt = len(openFence), h.at+bytes.LastIndex(h.text, []byte("```"))
	}
	switch {
	case b.raw != "" && h.name == b.raw:
		b.stage, b.text = inText, newUpTo(b.texts())
	case mark != b.id:
		b.stage = behindName
	}
	return true
}

// unnamed follows a mark of the head with nothing before it. It reports false where
// no name can follow.
func (b *namedBody) unnamed(mark string) bool {
	h, at := &b.head, b.head.at+len(b.head.text)
	switch {
	case h.lacks.Code != "": // a second mark, or the arguments
		h.lacks.Message = "the name is missing" + h.lacks.Message
		return false
	case mark == "{" || mark == b.id || mark == "\n":
		return false
	}
	h.lacks = diag.New(diag.CallMember, diag.Bytes(at, at+len(mark)), " before %s", mark)
	if b.word == "" {
		return b.unnamed(mark)
	}
	h.word, h.marked = true, true
	return true
}

// doubtWord reports that the word before the name, or the mark between them, is missing.
func (b *namedBody) doubtWord(mark string) {
	h := &b.head
	rest, glued := strings.CutPrefix(h.name, b.word)
	switch {
	case b.word == "":
	case h.lacks.Code != "":
		h.lacks.Message = fmt.Sprintf("%q is missing", b.word) + h.lacks.Message
		b.doubts, h.lacks = append(b.doubts, h.lacks), diag.Finding{}
	case glued && rest != "" && mark == "{" && !h.marked && !b.scanner.knows(h.name):
		h.name, h.from, h.marked = rest, h.from+len(b.word), true
		at := h.at + h.from
		b.doubts = append(b.doubts, diag.New(diag.CallMember, diag.Bytes(at, at), "%s is missing between %q and the name", b.behind[0], b.word))
	}
}

// retype follows a word that stands where the type of the call does: what is behind
// the mark is the name.
func (b *namedBody) retype() {
	h := &b.head
	b.doubts = append(b.doubts, diag.New(diag.CallMember, b.namePlace(), "the type of the call is %q, and only %q is known", excerpt(h.name), b.word))
	h.kind, h.kindAt, h.name, h.word, h.piece = h.name, h.from, "", true, len(h.text)
	b.stage = inHead
}

// cutFence cuts a code fence that is opened behind a name.
func cutFence(piece string) (name string, fenced, ok bool) {
	name = strings.TrimSpace(piece)
	rest := ""
	if i := strings.IndexAny(name, "`\r\n"); i >= 0 {
		name, rest = strings.TrimSpace(name[:i]), strings.TrimSpace(name[i:])
	}
	return name, rest != "", rest == "" || rest == "```" || rest == openFence
}

// refuse reports a mark with no call behind it. What follows it is text.
func (b *namedBody) refuse(mark string) ending {
	h := &b.head
	switch f := b.frame; {
	case h.kind != "": // it was the name
		h.name, h.from = h.kind, h.kindAt
		c := b.call("")
		r := newNamedReader(c, b.scanner.tools, nil)
		r.fault(diag.CallMember, diag.Bytes(c.place.End, c.start+len(c.text)), "no arguments follow the name")
		b.scanner.passCall(r)
		b.scanner.readAgain([]byte(h.held() + mark))
		return left
	case h.lacks.Code != "":
		b.scanner.notCalled([]diag.Finding{h.lacks})
	case b.prose && h.name != "":
	case f.mark != "":
		b.scanner.find(diag.New(diag.NotACall, diag.Bytes(f.at, f.at+len(f.mark)), "no call follows %s", strings.TrimSpace(f.mark)))
	}
	b.scanner.readAgain([]byte(string(b.head.text) + b.head.held() + mark))
	return left
}

// beforeArguments reads a byte between the name and the arguments.
func (b *namedBody) beforeArguments(c byte) (int, ending) {
	switch {
	case isSpace(c):
	case b.opened < len(openFence) && c == openFence[b.opened]:
		if b.opened == 0 {
			b.fenceAt = b.at
		}
		b.opened++
	case b.word != "" && !b.head.word && b.head.marked && !b.fenced() && isNameByte(c):
		b.retype()
		return 0, notYet
	case b.free && !b.fenced() && c != '{' && c != '[':
		b.stage, b.text = inText, newUpTo(b.texts())
		return 0, notYet
	case c != '{' && (b.frame.mark == "" || b.prose) && !b.scanner.knows(b.head.name):
		return 0, b.refuse("")
	default:
		b.begin(b.at)
		return 0, notYet
	}
	b.head.text = append(b.head.text, c)
	return 1, notYet
}

// namePlace returns where the name stands.
func (b *namedBody) namePlace() diag.Span {
	from := b.head.at + b.head.from
	return diag.Bytes(from, from+len(b.head.name))
}

// call returns the call as it is written, with the text of its arguments.
func (b *namedBody) call(text string) namedCall {
	h := &b.head
	place := b.namePlace()
	c := namedCall{name: h.name, place: place, clean: h.name, id: h.id, start: place.Start, text: string(h.text[h.from:]) + text}
	if b.counted {
		c.clean, c.id = cutCount(h.name)
	}
	c.clean = strings.TrimPrefix(c.clean, b.space)
	if b.counted && strings.Trim(c.clean, "0123456789") == "" { // only a number
		c.clean = ""
		if tools := b.scanner.tools; len(tools) == 1 {
			c.clean, c.only = slices.Collect(maps.Keys(tools))[0], true
		}
	}
	return c
}

// cutHead takes a head that is cut off.
func (b *namedBody) cutHead(how string) {
	h := &b.head
	f := diag.New(diag.CutCall, diag.Bytes(b.frame.at, b.head.at+len(h.text)), "%s inside a call", how)
	if h.name == "" {
		if mark := strings.TrimSpace(b.frame.mark); mark != "" && len(bytes.TrimSpace(h.text)) == 0 {
			f.Message = how + " after " + mark + ", before any call"
		}
		b.scanner.find(f)
		return
	}
	r := newNamedReader(b.call(""), b.scanner.tools, []diag.Finding{f})
	r.call.Status = chat.StatusTruncated
	b.scanner.passCall(r)
}
