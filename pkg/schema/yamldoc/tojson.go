package yamldoc

import (
	"bytes"
	"encoding/json"
	"strings"

	"oneshot/pkg/quote"
)

// JSON returns the value as JSON, with numbers and key order as in the source.
func (v Value) JSON() (json.RawMessage, bool) {
	if !v.IsPresent() {
		return nil, false
	}
	var b bytes.Buffer
	ok := v.appendJSON(&b)
	return b.Bytes(), ok
}

// appendJSON appends the value as JSON. The depth of files bounds the recursion.
func (v Value) appendJSON(b *bytes.Buffer) bool {
	switch kindOf(v.node) {
	case kindMapping:
		return v.appendMapping(b)
	case kindList:
		items, good := v.List()
		sep := byte('[')
		for _, item := range items {
			b.WriteByte(sep)
			good = item.appendJSON(b) && good
			sep = ','
		}
		if len(items) == 0 {
			b.WriteByte('[')
		}
		b.WriteByte(']')
		return good
	case kindString:
		b.WriteString(quote.JSON(v.node.Value))
	case kindBool:
		b.WriteString(strings.ToLower(v.node.Value))
	case kindNull:
		b.WriteString("null")
	case kindNumber:
		b.WriteString(v.node.Value)
	case kindNonJSONNumber:
		v.Add(v.file.codes.Value, "%s is not a JSON number", v.node.Value)
		b.WriteString("0")
		return false
	}
	return true
}

func (v Value) appendMapping(b *bytes.Buffer) bool {
	m, good := v.Map()
	b.WriteByte('{')
	for i, key := range m.Keys() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote.JSON(key))
		b.WriteByte(':')
		good = m.Get(key).appendJSON(b) && good
	}
	b.WriteByte('}')
	return good
}
