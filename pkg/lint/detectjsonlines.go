package lint

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// responseKeys are the paths of members that usually hold a response, in order of precedence, for
// files without a response path. The first is that of OpenAI's Batch API.
var responseKeys = [...]string{"response.body", "response", "output", "completion", "content", "text"}

// SplitCapture reads a captured file: JSON Lines in chunks of whole lines with [Chunk.Records] set, any
// other file as one chunk. A file that is not JSON Lines may have at most limit bytes; a larger one
// yields [ErrTooLarge].
func SplitCapture(r io.Reader, limit int, o Options) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		head, err := readPrefix(r, limit)
		if err == nil && o.isJSONLinesPrefix(head) {
			for c, err := range SplitLines(io.MultiReader(bytes.NewReader(head), r)) {
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

// ErrTooLarge is the error for a file over the limit that is not JSON Lines.
var ErrTooLarge = errors.New("the file is too large")

// detectBytes is the size of the prefix from which JSON Lines are detected.
const detectBytes = 64 << 10

// readPrefix reads the beginning of a file: at least two lines, within the limit. The error is
// [io.EOF] if the file ends there.
func readPrefix(r io.Reader, limit int) ([]byte, error) {
	head := make([]byte, 0, detectBytes)
	for lines := 0; len(head) < detectBytes || lines < 2 && len(head) <= limit; {
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

// IsLargeJSONLines reports whether a file of more bytes than the limit is JSON Lines, so that [SplitCapture]
// can read it. It reads only the beginning.
func (o Options) IsLargeJSONLines(r io.Reader, limit int) bool {
	head, err := readPrefix(r, limit)
	return err == nil && o.isJSONLinesPrefix(head)
}

// isJSONLinesPrefix reports whether the beginning of a file is JSON Lines.
func (o Options) isJSONLinesPrefix(head []byte) bool {
	return o.isJSONLines(head[:bytes.LastIndexByte(head, '\n')+1])
}

// isJSONLines reports whether a text is records in JSON Lines: an object on each line, but not a
// server's body, a run file, or calls only. Lines may be damaged if another is valid. A single
// object is a record only if one of [responseKeys] holds calls in it.
func (o Options) isJSONLines(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if !isLikelyJSON(text) || o.Protocol != nil || IsRunFile(text) {
		return false
	}
	if provider.DetectProtocol(text) != nil {
		return false
	}
	objects, valid, isCalls := 0, 0, true
	for line := range bytes.Lines(text) {
		if line = bytes.Trim(line, blanks); len(line) == 0 {
			continue
		}
		if line[0] != '{' {
			return false
		}
		if isJSONLine(line) {
			valid++
			isCalls = isCalls && len(o.readText(line).calls) > 0
		}
		objects++
	}
	if objects == 1 && valid == 1 && !isCalls {
		_, calls := o.knownMembers(text)
		return len(calls) > 0
	}
	return objects > 1 && valid > 0 && !isCalls
}

// detectResponse reads the response of a record without a response path: the record itself, as a
// body or a call, or the first known member, with precedence for one that holds calls.
func (l *recordLine) detectResponse() {
	if p := provider.DetectProtocol(l.Bytes); p != nil && l.o.Dialect.Name == "" {
		l.setFromEmbedded(l.o.readBody(l.Bytes, p), l.Text, lineSegments(l.Bytes))
		return
	}
	if r := l.o.readText(l.Bytes); len(r.calls) > 0 {
		l.setFromEmbedded(r, l.Text, lineSegments(l.Bytes))
		return
	}
	switch first, calls := l.o.knownMembers(l.Bytes); {
	case len(calls) > 1:
		l.reportNoResponse("choose the response with --field "+calls[0].key, "%q and %q both hold calls", calls[0].key, calls[1].key)
	case len(calls) == 1:
		l.useMember(calls[0])
	case first != nil:
		l.useMember(*first)
	default:
		l.reportNoResponse(responseFieldHint(l.Bytes), "no known member holds a response")
	}
}

// A knownMember is a member named in [responseKeys].
type knownMember struct {
	key string
	locatedValue
	scanResult
}

// knownMembers reads the members of an object that may hold a response. It returns the first one,
// and those that hold calls.
func (o Options) knownMembers(object []byte) (first *knownMember, calls []knownMember) {
	for _, key := range responseKeys {
		m := knownMember{key: key, locatedValue: newPath(key).lookup(object)}
		if key == "response" && first != nil {
			continue // it encloses the body already read
		}
		if len(m.raw) == 0 || strings.IndexByte(`"{[`, m.raw[0]) < 0 {
			continue
		}
		m.scanResult = o.readResponse(m.unquoted())
		if first == nil {
			first = &m
		}
		if len(m.calls) > 0 {
			calls = append(calls, m)
		}
	}
	return first, calls
}

// useMember uses a member as the response.
func (l *recordLine) useMember(m knownMember) {
	l.setFromEmbedded(m.scanResult, l.Text, m.valueSegments())
	l.why += ", at " + m.key
}

// reportNoResponse reports a record without a readable response.
func (l *recordLine) reportNoResponse(hint, format string, args ...any) {
	l.why = whyNoResponse
	l.reportMember(diag.NoResponse, locatedValue{}, format, args...)
	l.findings[len(l.findings)-1].Hint = hint
}

// lineSegments returns one piece that covers a line.
func lineSegments(line []byte) []wire.Segment { return []wire.Segment{{End: len(line)}} }

// responseFieldHint returns the hint to name the response's member.
func responseFieldHint(object []byte) string {
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
