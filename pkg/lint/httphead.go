package lint

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// readWithHead reads a response that begins with an HTTP head. The head is a layer, so offsets stay
// those of the whole text.
func (o Options) readWithHead(src []byte, head wire.HTTPHead) scanResult {
	body := src[head.Size:]
	isResponse := provider.DetectProtocol(body) != nil
	switch {
	case head.Truncated:
		return truncatedResult(len(src), "response was truncated in its head")
	case head.OK() && isBlank(body):
		return truncatedResult(len(src), "response is empty")
	case head.OK() && head.Type == "text/event-stream" && !isResponse && !bytes.Contains(body, []byte("data:")):
		return truncatedResult(len(src), "response was truncated before its first message")
	case !isResponse && (!head.OK() || isHTMLPage(body, head)):
		var r scanResult
		r.why = "the server sent no response"
		message := string(src[head.Status.Start:head.Status.End])
		if text := wire.ErrorText(body); !strings.Contains(message, text) {
			message += ": " + text
		}
		r.report(diag.New(diag.ServerError, diag.Bytes(head.Status.Start, head.Status.End), "server reports: %s", wire.Excerpt(message)))
		return r
	}
	var r scanResult
	inner := o.readBodyOrText(body)
	r.setFromEmbedded(inner, diag.Text{Bytes: src}, []wire.Segment{{Start: head.Size, End: len(src), ObjectStart: head.Size}})
	if inner.trailing > 0 {
		r.trailing = head.Size + inner.trailing
	}
	return r
}

// isHTMLPage reports whether a body is an HTML page. Without a head that cannot be decided, because a
// model may have been asked to write one.
func isHTMLPage(body []byte, head wire.HTTPHead) bool {
	return head.Type == "text/html" || wire.IsHTMLPage(body)
}

// truncatedResult returns the result for a capture that ends before the response begins.
func truncatedResult(end int, why string) scanResult {
	r := scanResult{why: why}
	r.report(diag.New(diag.TruncatedBody, diag.Bytes(end, end), "%s", why))
	return r
}

// isBlank reports whether a text holds only white space.
func isBlank(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) == 0
}
