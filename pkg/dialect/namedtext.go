package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// The argument of a call can be text: code, or whatever a tool takes. It has no end of
// its own, so it goes on up to what comes next.

// readText reads on in arguments that are text. They end before a mark: a token,
// or a word at the start of a line. A draft ends with the reasoning, too.
func (b *namedBody) readText(p []byte) (int, ending) {
	n, free, mark := b.text.next(p)
	b.scanner.steps += n
	from := len(b.written)
	b.written = append(b.written, free...)
	if before, rest, ends := b.scanner.cutDraft(b.written, from); ends {
		b.written = before
		b.cutText("the reasoning ends")
		b.scanner.readAgain(slices.Concat(rest, []byte(b.text.held()+mark)))
		return n, left
	}
	switch {
	case mark == "":
		return n, notYet
	case mark[0] != '<' && !b.beginsLine():
		b.written = append(b.written, mark...)
		return n, notYet
	case mark == b.part:
		b.stage, b.tail = inPart, []byte(mark)
		return n, notYet
	}
	b.passText()
	b.scanner.readAgain([]byte(mark))
	return n, left
}

// beginsLine reports whether what comes next begins a line.
func (b *namedBody) beginsLine() bool {
	before := b.written
	if len(before) == 0 {
		before = b.head.text
	}
	return len(before) > 0 && isNewline(before[len(before)-1])
}

// readPart reads a byte behind a mark that may end the text: it does before the
// name of a tool on a line of its own, and before text for the user.
func (b *namedBody) readPart(c byte) (int, ending) {
	name := string(b.tail[len(b.part):])
	switch {
	case isNameByte(c) && len(name) < longestName:
		b.tail = append(b.tail, c)
		return 1, notYet
	case c != '\n' || name == "":
	case b.scanner.knows(name) || name == b.plain:
		b.passText()
		b.scanner.readAgain(append(b.tail, c))
		return 1, left
	case !b.doubtful:
		b.doubtful, b.mayEndAt = true, len(b.written)
		f := diag.New(diag.MarkerInValue, diag.Bytes(b.at-len(b.tail), b.at), "the code may end here, or go on: no tool is known as %s", excerpt(name))
		f.Severity = diag.Error
		b.doubts = append(b.doubts, f)
	}
	b.endPart()
	return 0, notYet
}

// endPart makes text of a mark and what stands behind it.
func (b *namedBody) endPart() {
	b.written, b.tail = append(b.written, b.tail...), nil
	b.stage = inText
}

// cutText passes on a call whose argument, which is text, is cut off.
func (b *namedBody) cutText(how string) {
	b.doubts = append(b.doubts, diag.New(diag.CutCall, b.namePlace(), "%s inside the argument of the call", how))
	b.passText()
}

// passText passes on a call whose argument is text. Where it may end earlier there
// are two readings.
func (b *namedBody) passText() {
	r := b.textReader(b.written, b.doubts...)
	if b.doubtful {
		r.ambiguous(b.textReader(b.written[:b.mayEndAt]).call)
	}
	b.scanner.passCall(r)
}

// textReader returns a reader that has read a call with text for an argument.
func (b *namedBody) textReader(written []byte, findings ...diag.Finding) *reader {
	text := string(written)
	said := strings.TrimRight(text, "\r\n")
	if b.quoted {
		said = strings.TrimSpace(said)
		_ = json.Unmarshal([]byte(said), &said) // or it is no string
	}
	return newTextReader(b.call(text), b.scanner.tools, said, findings)
}
