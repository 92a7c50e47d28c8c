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

// maxTailChars is the maximum length in characters of program output in an error.
const maxTailChars = 2000

// truncationNote begins the note about truncated text; package redact recognizes it.
const truncationNote = "\n[cut here"

// A stream is the output of a program as text with secrets masked.
type stream struct {
	text      string
	total     int64 // bytes printed
	truncated bool  // not all bytes were captured
	replaced  int   // number of invalid UTF-8 bytes
}

// stream converts captured output. It masks secrets in all of it, including parts of secrets at the
// truncation.
func (p programs) stream(t subprocess.Text) stream {
	s := stream{text: string(t.Bytes), total: t.Total, truncated: t.Truncated()}
	if s.truncated {
		s.text = strings.TrimSuffix(p.secrets.Hide(trimPartialRune(s.text)+truncationNote), truncationNote)
	} else {
		s.text = p.secrets.Hide(s.text)
	}
	s.text, s.replaced = replaceInvalid(s.text)
	return s
}

// trimPartialRune removes an incomplete character from the end of a text.
func trimPartialRune(text string) string {
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

// render returns the text limited to room bytes of JSON, plus notes about truncation and replacement.
func (s stream) render(room int64) string {
	n := jsonPrefixFitting(s.text, room)
	text := s.text[:n]
	if n < len(s.text) || s.truncated {
		text += fmt.Sprintf("%s: %d of %d bytes are shown]", truncationNote, n, s.total)
	}
	if s.replaced > 0 {
		text += fmt.Sprintf("\n[%d bytes that are not UTF-8 were replaced by \ufffd]", s.replaced)
	}
	return text
}

// jsonSize returns the size of the text in JSON in bytes, at most most.
func (s stream) jsonSize(most int64) int64 {
	n := int64(0)
	for _, r := range s.text {
		if n += encodedLen(r); n >= most {
			return most
		}
	}
	return n
}

// jsonPrefixFitting returns the length of the longest prefix whose JSON form has at most room bytes.
func jsonPrefixFitting(text string, room int64) int {
	for i, r := range text {
		if room -= encodedLen(r); room < 0 {
			return i
		}
	}
	return len(text)
}

// encodedLen returns the maximum size in bytes of a character in a JSON string.
func encodedLen(r rune) int64 {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029':
		return 6
	}
	return int64(utf8.RuneLen(r))
}

// notesRoom is the room in bytes reserved for notes and structure around two streams.
const notesRoom = 400

// outputResult is the result with the output and the exit code of a program. If both streams are too
// long, stderr gets a quarter of the room.
func (p programs) outputResult(t task, out subprocess.Outcome) chat.Result {
	stdout, stderr := p.stream(out.Stdout), p.stream(out.Stderr)
	room := max(t.maxResult-notesRoom, 0)
	said := stderr.jsonSize(room)
	shown := stdout.jsonSize(room)
	if said+shown > room {
		said = min(said, max(room/4, room-shown))
		shown = room - said
	}
	return chat.Success(struct {
		Exit   int    `json:"exit"`
		Stdout string `json:"stdout"`
		Stderr string `json:"stderr"`
		Ended  int    `json:"ended,omitempty"` // leftover processes that were killed
	}{out.Exit, stdout.render(shown), stderr.render(said), out.LeftBehind})
}

// lostResult is the result of a program whose supervisor was killed, so its progress is unknown.
func (p programs) lostResult(out subprocess.Outcome) chat.Result {
	why := subprocess.ErrLost.Error() + mayHaveTakenEffect
	if said := p.outputTail(out); said != "" {
		why += ": " + said
	}
	return chat.Failure(chat.UnknownOutcome, "%s", why)
}

// failureResult is the result of a program that was killed or has a bad exit code, else nil.
func (p programs) failureResult(out subprocess.Outcome, good bool) *chat.Result {
	why := ""
	switch {
	case out.Flooded:
		s := p.stream(longerOutput(out))
		r := chat.Failure(chat.TooLarge, "it printed more than %d bytes and was killed%s; its output began: %s", s.total, mayHaveTakenEffect, excerpt(s.text))
		return &r
	case out.TooManyProcesses:
		why = "it started too many processes and was killed" + mayHaveTakenEffect
	case out.Signal != "":
		why = fmt.Sprintf("ended by signal %d (%s)", out.SignalNumber, out.Signal)
	case !good:
		why = fmt.Sprintf("exit status %d", out.Exit)
	default:
		return nil
	}
	if out.LeftBehind > 0 {
		why += fmt.Sprintf("; %d leftover processes were killed", out.LeftBehind)
	}
	if said := p.outputTail(out); said != "" {
		why += ": " + said
	}
	r := chat.Failure(chat.Failed, "%s", why)
	return &r
}

// longerOutput returns the longer stream of a program.
func longerOutput(out subprocess.Outcome) subprocess.Text {
	if out.Stderr.Total > out.Stdout.Total {
		return out.Stderr
	}
	return out.Stdout
}

// outputTail returns the end of a program's stderr, or of stdout if stderr is empty, for an error.
func (p programs) outputTail(out subprocess.Outcome) string {
	from := out.Stderr
	if len(from.Bytes) == 0 {
		from = out.Stdout
	}
	s := p.stream(from)
	text := strings.TrimSpace(s.text)
	if n := utf8.RuneCountInString(text); n > maxTailChars {
		text = "… " + runeRange(text, n-maxTailChars, n)
	}
	if s.truncated {
		text += fmt.Sprintf("%s: only the first %d of %d bytes were captured]", truncationNote, len(from.Bytes), s.total)
	}
	return text
}

// jsonResult is the result of a program that printed its data as JSON.
func jsonResult(out subprocess.Outcome) chat.Result {
	text, err := printedJSON(out.Stdout)
	switch {
	case out.Stdout.Truncated():
		return chat.Failure(chat.TooLarge, "%v", err)
	case err != nil:
		return chat.Failure(chat.Failed, "%v", err)
	}
	return chat.Result{Data: text}
}

// printedJSON returns the JSON value that a program printed.
func printedJSON(t subprocess.Text) ([]byte, error) {
	if t.Truncated() {
		return nil, fmt.Errorf("it printed %d bytes; %d are allowed", t.Total, len(t.Bytes))
	}
	if fault := schema.CheckStrict(t.Bytes); fault != nil {
		return nil, fmt.Errorf("expected JSON as output, line %d: %s", max(fault.Span.Line, 1), fault.Message)
	}
	return bytes.TrimSpace(t.Bytes), nil
}
