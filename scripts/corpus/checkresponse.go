package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// maxBody bounds a body, in bytes.
const maxBody = 64 << 20

// checkBody decodes a captured body and compares the response with that of the
// reference. A capture can hold the bodies of several turns: the reference
// reads all of them as one, or only the last.
func checkBody(r *row) outcome {
	protocol := provider.ProtocolNamed(r.Dialect)
	if protocol == nil {
		return failedOutcome(r, faultDialect, "there is no decoder for "+goLiteral(r.Dialect))
	}
	body := []byte(r.Input)
	if r.Framing == "jsonl-events" {
		body = []byte("data: " + strings.ReplaceAll(strings.TrimRight(r.Input, "\n"), "\n", "\n\ndata: ") + "\n\n")
	}
	all, err := decodeAll(protocol, body, len(body))
	w := newExpectation(r, asWritten)
	g, last := joinAsReading(all), joinAsReading(all[len(all)-1:])
	o := outcome{row: r, setting: "body"}
	if o.faults = w.mismatches(g, nil); len(o.faults) > 0 && len(w.mismatches(last, nil)) == 0 {
		o.faults, g = nil, last
	}
	o.facets = w.comparedParts(g)
	o.ends, o.state, o.facts = w.hasDifferentEdgeBlanks(g), g.callStates(), g.describeCallsAndText()
	if err != nil {
		o.state += ", error"
		o.faults = append(o.faults, faultError)
		o.facets = append(o.facets, comparedPart{name: faultError, theirs: []string{"none"}, ours: []string{err.Error()}})
	}
	pieces, errPieces := decodeAll(protocol, body, 13)
	if whole, parts := joinAsReading(all).describeAll(), joinAsReading(pieces).describeAll(); whole != parts || !isSameErrorKind(err, errPieces) {
		o.law = "in pieces of 13: " + firstDifference(whole, parts)
	}
	return o.withVerdict()
}

// decodeAll decodes consecutive bodies, each in pieces of a size.
func decodeAll(p *wire.Protocol, body []byte, size int) ([]chat.Response, error) {
	var all []chat.Response
	for {
		d := p.NewDecoder(maxBody)
		for part := range slices.Chunk(body, max(size, 1)) {
			if d.Write(part, nil) != nil {
				break // Close returns it again
			}
		}
		response, err := d.Close()
		all = append(all, response)
		if body = bytes.TrimSpace(body[d.Size():]); err != nil || len(body) == 0 {
			return all, err
		}
	}
}

// isSameErrorKind reports whether two errors of a decoder have the same kind.
func isSameErrorKind(a, b error) bool {
	var x, y *wire.Error
	if errors.As(a, &x) && errors.As(b, &y) {
		return x.Kind == y.Kind
	}
	return a == nil && b == nil
}

// joinAsReading returns responses as one reading. A call without arguments gets
// an empty object, as native calls do, and text that is another JSON value is
// compared as that value.
func joinAsReading(all []chat.Response) reading {
	var g reading
	for _, response := range all {
		g.content += response.Content
		g.reasoning += response.Reasoning
		for _, c := range response.Calls {
			switch {
			case c.Arguments != nil:
			case c.Text == "":
				c.Arguments = json.RawMessage("{}")
			case json.Valid([]byte(c.Text)):
				c.Arguments = json.RawMessage(c.Text)
			}
			g.calls = append(g.calls, c)
		}
	}
	return g
}
