package lint

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/wire"
)

// responseKeys are the paths of the members that hold a response where nobody says which
// one does, in the order in which they are looked for. The first is that of OpenAI's
// Batch API.
var responseKeys = [...]string{"response.body", "response", "output", "completion", "content", "text"}

// Pieces reads a captured file: JSON Lines in chunks of whole lines, which [Chunk.Records]
// says, and any other file as one chunk. A file that is not JSON Lines may have limit bytes
// at most; [ErrTooLarge] says that it has more.
func Pieces(r io.Reader, limit int, o Options) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		head, err := readHead(r, limit)
		if err == nil && o.beginsRecords(head) {
			for c, err := range Chunks(io.MultiReader(bytes.NewReader(head), r)) {
				c.Records = true
				if !yield(c, err) {
					return
				}
			}
			return
		}
		if err == nil {
			var rest []byte
			rest, err = io.ReadAll(io.LimitReader(r, int64(limit+1-len(head))))
			head = append(head, rest...)
		}
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			yield(Chunk{}, err)
		case len(head) > limit:
			yield(Chunk{}, ErrTooLarge)
		default:
			yield(Chunk{Text: diag.Text{Bytes: head}, Records: o.isJSONLines(head)}, nil)
		}
	}
}

// ErrTooLarge says that a file which has to be read whole is larger than allowed.
var ErrTooLarge = errors.New("the file is too large")

// headBytes is how much of a file tells whether it is JSON Lines.
const headBytes = 64 << 10

// readHead reads the beginning of a file: two lines at least, so far as they fit in the
// limit. The error is [io.EOF] if that is all of it.
func readHead(r io.Reader, limit int) ([]byte, error) {
	head := make([]byte, 0, headBytes)
	for lines := 0; len(head) < headBytes || lines < 2 && len(head) <= limit; {
		if len(head) == cap(head) {
			head = append(make([]byte, 0, 2*cap(head)), head...)
		}
		n, err := r.Read(head[len(head):cap(head)])
		lines += bytes.Count(head[len(head):len(head)+n], []byte("\n"))
		head = head[:len(head)+n]
		if err != nil {
			return head, err
		}
	}
	return head, nil
}

// HasRecords reports whether a file of more bytes than the limit is JSON Lines, so that
// [Pieces] can read it. It reads no more than the beginning.
func (o Options) HasRecords(r io.Reader, limit int) bool {
	head, err := readHead(r, limit)
	return err == nil && o.beginsRecords(head)
}

// beginsRecords reports whether a file that begins so is JSON Lines.
func (o Options) beginsRecords(head []byte) bool {
	return o.isJSONLines(head[:bytes.LastIndexByte(head, '\n')+1])
}

// isJSONLines reports whether a text is records of JSON Lines: objects, each on a line,
// that are neither bodies of a server, nor a run file, nor all of them calls. Lines behind
// the first may be damaged. One object alone is a record only if a known member of it
// holds calls.
func (o Options) isJSONLines(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte(orderMark))
	if !isJSON(text) || o.Format.Name != "" || IsRun(text) {
		return false
	}
	if _, ok := wire.FormatOf(text); ok {
		return false
	}
	objects, isCalls := 0, true
	for line := range bytes.Lines(text) {
		if line = bytes.Trim(line, blanks); len(line) == 0 {
			continue
		}
		record := line[0] == '{' && isRecord(line)
		if line[0] != '{' || !record && objects == 0 {
			return false
		}
		isCalls = isCalls && (!record || len(o.text(line).calls) > 0)
		objects++
	}
	if objects == 1 && !isCalls {
		_, calls := o.knownMembers(text)
		return len(calls) > 0
	}
	return objects > 1 && !isCalls
}

// anywhere reads the response of a record of which nobody says where it stands: the record
// itself, as a body or a call, or the first known member, before others one that holds calls.
func (l *recordLine) anywhere() {
	if format, ok := wire.FormatOf(l.Bytes); ok && l.o.Dialect.Name == "" {
		l.take(l.o.body(l.Bytes, format), l.Text, whole(l.Bytes))
		return
	}
	if r := l.o.text(l.Bytes); len(r.calls) > 0 {
		l.take(r, l.Text, whole(l.Bytes))
		return
	}
	switch first, calls := l.o.knownMembers(l.Bytes); {
	case len(calls) > 1:
		l.noResponse("say which one is the response: --field "+calls[0].key, "%q and %q both hold calls", calls[0].key, calls[1].key)
	case len(calls) == 1:
		l.member(calls[0])
	case first != nil:
		l.member(*first)
	default:
		l.noResponse(fieldHint(l.Bytes), "no member is known to hold the response")
	}
}

// A knownMember is a member of [responseKeys].
type knownMember struct {
	key string
	member
	reading
}

// knownMembers reads the members of an object that may hold a response, and returns the
// first one and those that hold calls.
func (o Options) knownMembers(object []byte) (first *knownMember, calls []knownMember) {
	for _, key := range responseKeys {
		m := knownMember{key: key, member: newPath(key).in(object)}
		if key == "response" && first != nil {
			continue // it holds the body that was read
		}
		if len(m.raw) == 0 || strings.IndexByte(`"{[`, m.raw[0]) < 0 {
			continue
		}
		m.reading = o.response(m.text())
		if first == nil {
			first = &m
		}
		if len(m.calls) > 0 {
			calls = append(calls, m)
		}
	}
	return first, calls
}

// member takes a member as the response.
func (l *recordLine) member(m knownMember) {
	l.take(m.reading, l.Text, m.pieces())
	l.why += ", at " + m.key
}

// noResponse finds that nothing can be read as the response.
func (l *recordLine) noResponse(hint, format string, args ...any) {
	l.why = noResponse
	l.wrong(diag.NoResponse, member{}, format, args...)
	l.findings[len(l.findings)-1].Hint = hint
}

// whole returns the piece of a line that is all of it.
func whole(line []byte) []wire.Piece { return []wire.Piece{{End: len(line)}} }

// fieldHint says how to name the member of an object that holds the response.
func fieldHint(object []byte) string {
	var names []string
	gjson.ParseBytes(object).ForEach(func(name, _ gjson.Result) bool {
		names = append(names, wire.Excerpt(name.String()))
		return len(names) < 8
	})
	if len(names) == 0 {
		return "name it with --field PATH"
	}
	return "name it with --field PATH; the record has " + strings.Join(names, ", ")
}
