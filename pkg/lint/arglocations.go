package lint

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/schema"
)

// locateArguments locates the values at JSON pointers into a call's arguments, as far as possible.
// The returned origin holds the text that the locations refer to: the call's, or that of a string
// in it.
func (o origin) locateArguments(pointers []string) (origin, map[string]valueLocation) {
	if len(pointers) == 0 {
		return o, nil
	}
	if !o.native {
		if all := dialect.ArgumentSpans(o.text, o.args, o.tools); len(all) > 0 {
			return o, locateInSeparateArguments(o.text, o.args, all, pointers)
		}
	}
	if places := locateInText(o.text, o.args, pointers); places != nil {
		return o, places
	}
	if inner, ok := o.originOfEncodedObject(); ok {
		if places := locateInText(inner.text, o.args, pointers); places != nil {
			return inner, places
		}
	}
	return o, locateTrailingText(o.text, o.args)
}

// originOfEncodedObject returns an origin for the first string in the call's text that holds an object.
func (o origin) originOfEncodedObject() (origin, bool) {
	i := strings.Index(o.text, `"{`)
	if i < 0 {
		return o, false
	}
	value, err := jsontext.NewDecoder(strings.NewReader(o.text[i:])).ReadValue()
	if err != nil {
		return o, false
	}
	at := newLayer(diag.Text{Bytes: []byte(o.text), Offset: o.offset}, []wire.Segment{{Start: i, End: i + len(value), Quoted: true}})
	text, _ := jsontext.AppendUnquote(nil, value) // the decoder has validated it
	o.text, o.offset, o.layers = string(text), 0, append([]*layer{at}, o.layers...)
	return o, true
}

// locateInSeparateArguments locates values in dialects that write each argument separately, in tags or on
// lines.
func locateInSeparateArguments(text string, args []byte, all []dialect.ArgumentSpan, pointers []string) map[string]valueLocation {
	known := make(map[string]dialect.ArgumentSpan, len(all))
	for _, p := range all {
		known[p.Pointer] = p
	}
	inside := map[string][]string{} // the pointers into each argument
	var found []string
	for _, p := range pointers {
		at := jsontext.Pointer(p)
		for ; at != ""; at = at.Parent() {
			if _, ok := known[string(at)]; ok {
				break
			}
		}
		if at == "" {
			continue
		}
		if inside[string(at)] == nil {
			found = append(found, string(at))
		}
		inside[string(at)] = append(inside[string(at)], p[len(at):])
	}
	places := map[string]valueLocation{}
	for at, spot := range schema.Locate(args, found) {
		for rest, p := range locateInArgument(text, args[spot.Value.Start:spot.Value.End], known[at], inside[at]) {
			places[at+rest] = p
		}
	}
	return places
}

// locateInArgument locates values in an argument that is written as JSON. In other arguments the
// location is that of the whole argument.
func locateInArgument(text string, value []byte, at dialect.ArgumentSpan, pointers []string) map[string]valueLocation {
	from, to := at.Value.Start, at.Value.End
	places := locateAligned(text[from:to], value, pointers, (*alignment).matchTokensToEnd)
	if places == nil {
		places = map[string]valueLocation{}
	}
	for _, p := range pointers {
		place, ok := places[p]
		if ok {
			place.Name, place.Value = shiftSpan(place.Name, from), shiftSpan(place.Value, from)
		} else {
			place = valueLocation{Location: schema.Location{Value: at.Value}, exact: p == "", isText: true}
		}
		if p == "" {
			place.Name = at.Name
		}
		places[p] = place
	}
	return places
}

func shiftSpan(s diag.Span, by int) diag.Span { return diag.Bytes(s.Start+by, s.End+by) }

// locateTrailingText locates the only argument of a call whose text ends with it.
func locateTrailingText(text string, args []byte) map[string]valueLocation {
	var list []string
	if json.Unmarshal(args, &list) != nil || len(list) != 1 || list[0] == "" {
		return nil
	}
	text = strings.TrimRight(text, " \t\r\n")
	argument := strings.TrimRight(list[0], " \t\r\n")
	if !strings.HasSuffix(text, argument) {
		return nil
	}
	at := schema.Location{Value: diag.Bytes(len(text)-len(argument), len(text))}
	return map[string]valueLocation{"/0": {Location: at, exact: true, isText: true}}
}
