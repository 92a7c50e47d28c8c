package dialect

import (
	"bytes"
	"encoding/json"
	"strconv"

	"oneshot/pkg/chat"
	"oneshot/pkg/quote"
)

// renderedID is the ID of a rendered call without one.
const renderedID = "call_1"

// renderCallList writes the object with a list of one call. A positional call needs a single argument: the object
// of arguments.
func renderCallList(_ *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	id := c.ID
	if id == "" {
		id = renderedID
	}
	b = append(b, `{"toolCalls":[{"type":`+quote.JSON(c.Name)+`,"id":`+quote.JSON(id)+`,"operation":`+quote.JSON(c.Name)+`,"parameters":`...)
	b = append(b, argumentsObject(c)...)
	if c.Priority != 0 {
		b = strconv.AppendFloat(append(b, `,"priority":`...), c.Priority, 'g', -1, 64)
	}
	return append(b, "}]}"...), true
}

// argumentsObject returns the object of arguments of a call. A positional call has one if it is the only
// argument.
func argumentsObject(c chat.Call) json.RawMessage {
	args := c.Arguments
	var list []json.RawMessage
	if c.Positional && json.Unmarshal(args, &list) == nil && len(list) == 1 {
		args = list[0]
	}
	return bytes.TrimSpace(args)
}
