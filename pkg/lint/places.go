package lint

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/schema"
	"oneshot/pkg/wire"
)

// places returns where the values at some JSON pointers into the arguments of a call
// stand, as far as that is known, and the text that these places are in: that of the
// call, or that of a string in it.
func (o origin) places(pointers []string) (origin, map[string]valuePlace) {
	if len(pointers) == 0 {
		return o, nil
	}
	if !o.native {
		if all := dialect.Places(o.text, o.args, o.tools); len(all) > 0 {
			return o, apart(o.text, o.args, all, pointers)
		}
	}
	if places := argumentPlaces(o.text, o.args, pointers); places != nil {
		return o, places
	}
	if inner, ok := o.encoded(); ok {
		if places := argumentPlaces(inner.text, o.args, pointers); places != nil {
			return inner, places
		}
	}
	return o, lastText(o.text, o.args)
}

// encoded returns the first string in the text of a call that holds an object, as the
// text of its arguments.
func (o origin) encoded() (origin, bool) {
	i := strings.Index(o.text, `"{`)
	if i < 0 {
		return o, false
	}
	value, err := jsontext.NewDecoder(strings.NewReader(o.text[i:])).ReadValue()
	if err != nil {
		return o, false
	}
	at := newLayer(diag.Text{Bytes: []byte(o.text), Offset: o.base}, []wire.Piece{{Start: i, End: i + len(value), Quoted: true}})
	text, _ := jsontext.AppendUnquote(nil, value) // it was just read
	o.text, o.base, o.layers = string(text), 0, append([]*layer{at}, o.layers...)
	return o, true
}

// apart returns the places of values where each argument stands for itself, between
// tags or on lines.
func apart(text string, args []byte, all []dialect.Place, pointers []string) map[string]valuePlace {
	known := make(map[string]dialect.Place, len(all))
	for _, p := range all {
		known[p.Pointer] = p
	}
	inside := map[string][]string{} // the pointers into each argument
	var wanted []string
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
			wanted = append(wanted, string(at))
		}
		inside[string(at)] = append(inside[string(at)], p[len(at):])
	}
	places := map[string]valuePlace{}
	for at, spot := range schema.Locate(args, wanted) {
		for rest, p := range within(text, args[spot.Value.Start:spot.Value.End], known[at], inside[at]) {
			places[at+rest] = p
		}
	}
	return places
}

// within returns the places of values in an argument: in its JSON, if it is written as
// JSON, and otherwise all of it.
func within(text string, value []byte, at dialect.Place, pointers []string) map[string]valuePlace {
	from, to := at.Value.Start, at.Value.End
	places := aligned(text[from:to], value, pointers, (*alignment).whole)
	if places == nil {
		places = map[string]valuePlace{}
	}
	for _, p := range pointers {
		place, ok := places[p]
		if ok {
			place.Name, place.Value = moved(place.Name, from), moved(place.Value, from)
		} else {
			place = valuePlace{Spot: schema.Spot{Value: at.Value}, exact: p == "", text: true}
		}
		if p == "" {
			place.Name = at.Name
		}
		places[p] = place
	}
	return places
}

// moved returns a stretch of a text that begins at an offset of another one.
func moved(s diag.Span, by int) diag.Span { return diag.Bytes(s.Start+by, s.End+by) }

// lastText returns the place of the one argument that is all of the text behind the
// name of the tool.
func lastText(text string, args []byte) map[string]valuePlace {
	var list []string
	if json.Unmarshal(args, &list) != nil || len(list) != 1 || list[0] == "" {
		return nil
	}
	text = strings.TrimRight(text, " \t\r\n")
	said := strings.TrimRight(list[0], " \t\r\n")
	if !strings.HasSuffix(text, said) {
		return nil
	}
	at := schema.Spot{Value: diag.Bytes(len(text)-len(said), len(text))}
	return map[string]valuePlace{"/0": {Spot: at, exact: true, text: true}}
}
