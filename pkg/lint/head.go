package lint

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/wire"
)

// headed reads a response with the head that HTTP has put before it. The head is a layer:
// places stay those of the whole.
func (o Options) headed(src []byte, head wire.Head) reading {
	body := src[head.Size:]
	_, isResponse := wire.FormatOf(body)
	switch {
	case head.Cut:
		return nothing(len(src), "response was cut off in its head")
	case head.OK() && blank(body):
		return nothing(len(src), "response is empty")
	case head.OK() && head.Type == "text/event-stream" && !isResponse && !bytes.Contains(body, []byte("data:")):
		return nothing(len(src), "response was cut off before its first message")
	case !isResponse && (!head.OK() || isPage(body, head)):
		var r reading
		r.why = "the server sent no response"
		says := string(src[head.Status.Start:head.Status.End])
		if text := wire.ErrorText(body); !strings.Contains(says, text) {
			says += ": " + text
		}
		r.find(diag.New(diag.ServerError, diag.Bytes(head.Status.Start, head.Status.End), "server reports: %s", wire.Excerpt(says)))
		return r
	}
	var r reading
	inner := o.bare(body)
	r.take(inner, diag.Text{Bytes: src}, []wire.Piece{{Start: head.Size, End: len(src), Object: head.Size}})
	if inner.rest > 0 {
		r.rest = head.Size + inner.rest
	}
	return r
}

// isPage reports whether a body is a page for people. Without a head nobody knows: a model
// may have been asked to write one.
func isPage(body []byte, head wire.Head) bool {
	return head.Type == "text/html" || wire.IsPage(body)
}

// nothing returns the reading of a capture that ends at a byte before anything was said.
func nothing(end int, why string) reading {
	r := reading{why: why}
	r.find(diag.New(diag.CutBody, diag.Bytes(end, end), "%s", why))
	return r
}

// blank reports whether there is nothing in a text.
func blank(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(orderMark)))) == 0
}
