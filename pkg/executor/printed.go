package executor

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/schema"
	"oneshot/pkg/subprocess"
)

// maxSaid is how many characters of what a program said stand in an error.
const maxSaid = 2000

// cutHere begins the note that a text was cut, by which package secret knows the place.
const cutHere = "\n[cut here"

// A stream is what a program printed, as text without secrets.
type stream struct {
	text     string
	total    int64 // bytes that were printed
	lost     bool  // some of them were not kept
	replaced int   // bytes that are not UTF-8
}

// stream reads what was kept of a stream. Secrets are hidden in all of it, and what is left of one
// where it was cut.
func (p programs) stream(t subprocess.Text) stream {
	s := stream{text: string(t.Bytes), total: t.Total, lost: t.Truncated()}
	if s.lost {
		s.text = strings.TrimSuffix(p.secrets.Hide(whole(s.text)+cutHere), cutHere)
	} else {
		s.text = p.secrets.Hide(s.text)
	}
	s.text, s.replaced = repair(s.text)
	return s
}

// whole returns a text without the character that it was cut in.
func whole(text string) string {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

// within returns the stream as text whose JSON form has so many bytes, besides notes about what
// was cut or replaced.
func (s stream) within(room int64) string {
	n := fitting(s.text, room)
	text := s.text[:n]
	if n < len(s.text) || s.lost {
		text += fmt.Sprintf("%s: %d of %d bytes are shown]", cutHere, n, s.total)
	}
	if s.replaced > 0 {
		text += fmt.Sprintf("\n[%d bytes that are not UTF-8 were replaced by \ufffd]", s.replaced)
	}
	return text
}

// size returns how many bytes the JSON form of the text has, up to most.
func (s stream) size(most int64) int64 {
	n := int64(0)
	for _, r := range s.text {
		if n += encoded(r); n >= most {
			return most
		}
	}
	return n
}

// fitting returns how many bytes of a text have a JSON form of at most so many.
func fitting(text string, room int64) int {
	for i, r := range text {
		if room -= encoded(r); room < 0 {
			return i
		}
	}
	return len(text)
}

// encoded returns how many bytes a character has in a string of JSON, at most.
func encoded(r rune) int64 {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029':
		return 6
	}
	return int64(utf8.RuneLen(r))
}

// notes is the room that is kept for what stands around two streams.
const notes = 400

// printed is the result that has what a program printed and how it ended. Where both are
// too much, a quarter is for stderr.
func (p programs) printed(t task, out subprocess.Outcome) chat.Result {
	stdout, stderr := p.stream(out.Stdout), p.stream(out.Stderr)
	room := max(t.room-notes, 0)
	said := stderr.size(room)
	shown := stdout.size(room)
	if said+shown > room {
		said = min(said, max(room/4, room-shown))
		shown = room - said
	}
	return chat.Success(struct {
		Exit   int    `json:"exit"`
		Stdout string `json:"stdout"`
		Stderr string `json:"stderr"`
		Ended  int    `json:"ended,omitempty"` // processes that it had left behind
	}{out.Exit, stdout.within(shown), stderr.within(said), out.LeftBehind})
}

// lost is the result of a program whose supervisor was killed: how far it came is not known.
func (p programs) lost(out subprocess.Outcome) chat.Result {
	why := subprocess.ErrLost.Error() + mayHave
	if said := p.said(out); said != "" {
		why += ": " + said
	}
	return chat.Failure(chat.UnknownOutcome, "%s", why)
}

// failure is the result of a program that did not end by itself with a code that is good, or nil.
func (p programs) failure(out subprocess.Outcome, good bool) *chat.Result {
	why := ""
	switch {
	case out.Flooded:
		s := p.stream(longer(out))
		r := chat.Failure(chat.TooLarge, "it printed more than %d bytes and was ended%s; this is how it began: %s", s.total, mayHave, shortened(s.text))
		return &r
	case out.TooManyProcesses:
		why = "it started more processes than it may, and was ended" + mayHave
	case out.Signal != "":
		why = fmt.Sprintf("ended by signal %d (%s)", out.SignalNumber, out.Signal)
	case !good:
		why = fmt.Sprintf("exit status %d", out.Exit)
	default:
		return nil
	}
	if out.LeftBehind > 0 {
		why += fmt.Sprintf("; %d processes that it had left behind were ended", out.LeftBehind)
	}
	if said := p.said(out); said != "" {
		why += ": " + said
	}
	r := chat.Failure(chat.Failed, "%s", why)
	return &r
}

// longer returns the stream of which a program printed more.
func longer(out subprocess.Outcome) subprocess.Text {
	if out.Stderr.Total > out.Stdout.Total {
		return out.Stderr
	}
	return out.Stdout
}

// said returns the end of what a program said, for an error: on stderr, or else on stdout.
func (p programs) said(out subprocess.Outcome) string {
	from := out.Stderr
	if len(from.Bytes) == 0 {
		from = out.Stdout
	}
	s := p.stream(from)
	text := strings.TrimSpace(s.text)
	if n := utf8.RuneCountInString(text); n > maxSaid {
		text = "… " + characters(text, n-maxSaid, n)
	}
	if s.lost {
		text += fmt.Sprintf("%s: the first %d of %d bytes were kept]", cutHere, len(from.Bytes), s.total)
	}
	return text
}

// value is the result of a program that printed its data as JSON.
func value(out subprocess.Outcome) chat.Result {
	text, err := printedJSON(out.Stdout)
	switch {
	case out.Stdout.Truncated():
		return chat.Failure(chat.TooLarge, "%v", err)
	case err != nil:
		return chat.Failure(chat.Failed, "%v", err)
	}
	return chat.Result{Data: text}
}

// printedJSON returns the one JSON value that a program printed.
func printedJSON(t subprocess.Text) ([]byte, error) {
	if t.Truncated() {
		return nil, fmt.Errorf("it printed %d bytes; %d are allowed", t.Total, len(t.Bytes))
	}
	if fault := schema.CheckStrict(t.Bytes); fault != nil {
		return nil, fmt.Errorf("it has to print JSON, and printed something else, in line %d: %s", max(fault.Span.Line, 1), fault.Message)
	}
	return bytes.TrimSpace(t.Bytes), nil
}
