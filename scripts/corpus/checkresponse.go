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

// checkBody decodes a captured body and holds the response against that of the
// reference. A capture can hold the bodies of several turns: the reference
// reads all of them as one, or only the last.
func checkBody(r *row) outcome {
	protocol := provider.ProtocolNamed(r.Dialect)
	if protocol == nil {
		return failedOutcome(r, faultDialect, "there is no decoder for "+quote(r.Dialect))
	}
	body := []byte(r.Input)
	if r.Framing == "jsonl-events" {
		body = []byte("data: " + strings.ReplaceAll(strings.TrimRight(r.Input, "\n"), "\n", "\n\ndata: ") + "\n\n")
	}
	all, err := decodeAll(protocol, body, len(body))
	w := newWant(r, asWritten)
	g, last := joinResponses(all), joinResponses(all[len(all)-1:])
	o := outcome{row: r, setting: "body"}
	if o.faults = w.faults(g, nil); len(o.faults) > 0 && len(w.faults(last, nil)) == 0 {
		o.faults, g = nil, last
	}
	o.facets = w.facets(g)
	o.ends, o.state, o.facts = w.hasDifferentEnds(g), g.callStates(), g.contentLines()
	if err != nil {
		o.state += ", error"
		o.faults = append(o.faults, faultError)
		o.facets = append(o.facets, facet{name: faultError, theirs: []string{"none"}, ours: []string{err.Error()}})
	}
	pieces, errPieces := decodeAll(protocol, body, 13)
	if whole, parts := joinResponses(all).facts(), joinResponses(pieces).facts(); whole != parts || !sameError(err, errPieces) {
		o.law = "in pieces of 13: " + firstDifference(whole, parts)
	}
	return o.withVerdict()
}

// decodeAll decodes the bodies that stand one after the other, each in pieces of
// a size.
func decodeAll(p *wire.Protocol, body []byte, size int) ([]chat.Response, error) {
	var all []chat.Response
	for {
		d := p.NewDecoder(maxBody)
		for part := range slices.Chunk(body, max(size, 1)) {
			if d.Write(part, nil) != nil {
				break // Close says it again
			}
		}
		response, err := d.Close()
		all = append(all, response)
		if body = bytes.TrimSpace(body[d.Size():]); err != nil || len(body) == 0 {
			return all, err
		}
	}
}

// sameError reports whether two errors of a decoder are of one kind.
func sameError(a, b error) bool {
	var x, y *wire.Error
	if errors.As(a, &x) && errors.As(b, &y) {
		return x.Kind == y.Kind
	}
	return a == nil && b == nil
}

// joinResponses returns responses as one reading. A call without arguments has an
// empty object of them, as the dialect of native calls makes of it, and text that
// is some other JSON value is held against that value.
func joinResponses(all []chat.Response) reading {
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
