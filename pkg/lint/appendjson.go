package lint

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// AppendJSON appends the record as JSON on one line, without a line feed. The output is that of
// encoding/json without HTML escaping. It is hand-written because a file of any size has one record
// a line.
func (r *ParseResult) AppendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"file":`...), r.File)
	if r.Record != 0 {
		dst = strconv.AppendInt(append(dst, `,"record":`...), int64(r.Record), 10)
	}
	if r.ID != "" {
		dst = appendString(append(dst, `,"id":`...), r.ID)
	}
	dst = appendString(append(dst, `,"dialect":`...), r.Dialect)
	dst = appendString(append(dst, `,"why":`...), r.Why)
	dst = appendString(append(dst, `,"content":`...), r.Content)
	dst = appendString(append(dst, `,"reasoning":`...), r.Reasoning)
	dst = appendCalls(append(dst, `,"calls":`...), r.Calls)
	dst = appendFindings(append(dst, `,"findings":`...), r.Findings)
	if r.FindingsCut != 0 {
		dst = strconv.AppendInt(append(dst, `,"findings_cut":`...), int64(r.FindingsCut), 10)
	}
	return append(dst, '}')
}

// appendList appends an array.
func appendList[T any](dst []byte, list []T, one func([]byte, *T) []byte) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, &list[i])
	}
	return append(dst, ']')
}

func appendCalls(dst []byte, calls []Call) []byte { return appendList(dst, calls, appendCall) }

func appendCall(dst []byte, c *Call) []byte {
	dst = appendString(append(dst, `{"name":`...), c.Name)
	dst = appendCompact(append(dst, `,"arguments":`...), c.Arguments)
	if c.ID != "" {
		dst = appendString(append(dst, `,"id":`...), c.ID)
	}
	dst = appendNumber(append(dst, `,"priority":`...), c.Priority)
	dst = appendString(append(dst, `,"status":`...), string(c.Status))
	dst = strconv.AppendBool(append(dst, `,"executable":`...), c.Executable)
	dst = strconv.AppendBool(append(dst, `,"value_changed":`...), c.ValueChanged)
	if len(c.Defaults) > 0 {
		dst = appendCompact(append(dst, `,"defaults":`...), c.Defaults)
	}
	dst = appendSpan(append(dst, `,"span":`...), c.Span)
	dst = appendList(append(dst, `,"repairs":`...), c.Repairs, func(dst []byte, c *diag.Code) []byte { return appendString(dst, string(*c)) })
	dst = appendCalls(append(dst, `,"alternatives":`...), c.Alternatives)
	return append(dst, '}')
}

func appendSpan(dst []byte, s diag.Span) []byte {
	for i, n := range [...]int{s.Start, s.End, s.Line, s.Column, s.EndLine, s.EndColumn} {
		dst = append(dst, spanKeys[i]...)
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, '}')
}

var spanKeys = [...]string{`{"start":`, `,"end":`, `,"line":`, `,"column":`, `,"end_line":`, `,"end_column":`}

// appendFindings appends findings. Most records have none, so this uses encoding/json.
func appendFindings(dst []byte, findings []diag.Finding) []byte {
	return appendList(dst, findings, func(dst []byte, f *diag.Finding) []byte {
		text, err := quote.Encode(f)
		if err != nil {
			return append(dst, "null"...) // strings and numbers always marshal
		}
		return append(dst, text...)
	})
}

// appendString appends a JSON string. Invalid UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // one U+FFFD a byte
	}
	return quote.AppendJSON(dst, []byte(s))
}

// appendNumber appends a number as encoding/json writes it.
func appendNumber(dst []byte, n float64) []byte {
	if n == 0 {
		return append(dst, '0')
	}
	text, err := json.Marshal(n)
	if err != nil {
		return append(dst, '0') // a priority is finite
	}
	return append(dst, text...)
}

// appendCompact appends JSON without white space between tokens.
func appendCompact(dst []byte, raw json.RawMessage) []byte {
	if raw == nil {
		return append(dst, "null"...)
	}
	for at := 0; at < len(raw); {
		switch raw[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '"':
			end := skipString(raw, at)
			dst, at = append(dst, raw[at:end]...), end
		default:
			dst, at = append(dst, raw[at]), at+1
		}
	}
	return dst
}
