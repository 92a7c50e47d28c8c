package lint

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// responseKeys are the paths of members that usually hold a response, in order of precedence, for
// files without a response path. The first is that of OpenAI's Batch API.
var responseKeys = [...]string{"response.body", "response", "output", "completion", "content", "text"}

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
		l.useMemberAsResponse(calls[0])
	case first != nil:
		l.useMemberAsResponse(*first)
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

// useMemberAsResponse uses a member as the response.
func (l *recordLine) useMemberAsResponse(m knownMember) {
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
