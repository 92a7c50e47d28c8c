package lint

import (
	"iter"

	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// ParseCapture reads the responses of a captured file or of a run file.
func ParseCapture(file string, src []byte, o Options) iter.Seq[ParseResult] {
	if IsRunFile(src) {
		return readRun(file, src, o)
	}
	return eachResponse(file, src, o, func(r ParseResult) (ParseResult, diag.Text) { return r, r.Text })
}

// eachResponse reads consecutive responses, each starting on a new line, and yields convert's value
// for each. Convert also returns the text it leaves in the response's place. If there are several
// responses, each record has its line number.
func eachResponse[T any](file string, src []byte, o Options, convert func(ParseResult) (T, diag.Text)) iter.Seq[T] {
	return func(yield func(T) bool) {
		text := diag.Text{Bytes: src}
		for several := false; ; {
			record, more := o.readNext(file, text)
			if several = several || more; several {
				record.Record = text.LinesBefore + 1
			}
			length := len(record.Text.Bytes)
			out, now := convert(record)
			if !yield(out) || !more {
				return
			}
			text = diag.Text{Bytes: text.Bytes[length:], Offset: now.Offset + len(now.Bytes), LinesBefore: now.LinesBefore + now.CountLines()}
		}
	}
}

// readNext reads the first response of a text: a body if it looks like one, otherwise a text. It
// reports whether another response follows on a new line, which then is not part of the record's
// text.
func (o Options) readNext(file string, text diag.Text) (record ParseResult, more bool) {
	if isBlank(text.Bytes) {
		why := "the file is empty: the capture failed, or the model returned nothing"
		return truncatedResult(len(text.Bytes), why).checkAndConvert(file, text, o), false
	}
	r, part := o.readFirstResponse(text.Bytes), text
	if more = r.isFollowedByServerResponse(text.Bytes); more {
		part.Bytes = text.Bytes[:r.trailing]
	} else {
		r.rejectTrailing(text.Bytes)
	}
	return r.relativeToFile(part).checkAndConvert(file, part, o), more
}

// isFollowedByServerResponse reports whether another response begins on a new line after this one.
func (r *scanResult) isFollowedByServerResponse(src []byte) bool {
	if r.trailing == 0 || src[r.trailing-1] != '\n' {
		return false
	}
	_, isHead := wire.ParseHTTPHead(src[r.trailing:])
	isBody := provider.DetectProtocol(src[r.trailing:]) != nil
	return isHead || isBody
}

// relativeToFile converts the result of a part of a file to spans of the file.
func (r scanResult) relativeToFile(part diag.Text) scanResult {
	if part.Offset == 0 {
		return r
	}
	var out scanResult
	out.setFromEmbedded(r, part, []wire.Segment{{End: len(part.Bytes)}})
	return out
}
