package dialect

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// callHint says how a call is written.
const callHint = `a call is {"type": …, "id": …, "operation": …, "parameters": {…}}, in the array "toolCalls"`

// A member is one of the members that a call can have: of this dialect or of a
// near relative.
type member int

const (
	ofType member = iota // these can say which tool is called
	ofName
	ofToolName
	ofTool
	ofAction
	ofFunction
	ofParameters // these with which arguments
	ofArguments
	ofArgs
	ofToolInput
	ofActionInput
	ofInput
	ofID // these under which id
	ofCallID
	ofToolCallID
	ofOperation
	ofPriority
	memberCount
)

// callMembers are the names of the members.
var callMembers = []string{
	"type", "name", "tool_name", "tool", "action", "function",
	"parameters", "arguments", "args", "tool_input", "action_input", "input",
	"id", "call_id", "tool_call_id", "operation", "priority",
}

func (m member) String() string { return callMembers[m] }

// callTypes are what relatives write under "type": that an object is a call, and
// not of which tool.
var callTypes = []string{"function", "function_call", "tool_call", "tool_use", "tool", "call"}

// A memberNames says how a dialect calls the members that tell the tool and its
// arguments. Others are read as well.
type memberNames struct {
	name, args   member
	needsID      bool // a call has an id, and says in words what it is for
	namePrecedes bool // the name can precede the marker
	toolIsKey    bool // the tool is the only key of the object, and its arguments the value
}

// A callObject is a call as it is written: an object and those of its members that
// are known.
type callObject struct {
	memberNames  *memberNames
	members      []literal.Member
	memberIndex  [memberCount]uint8 // index of each member in members, from 1
	memberBits   uint32             // a bit for each member that it has
	cachedValue  json.RawMessage    // of a member, which was asked for last
	cachedMember member
	otherCount   int              // how many other members it has
	firstOther   diag.Span        // the key of the first
	lit          *literal.Scanner // knows the values
	begin        int
	text         string
	findings     []diag.Finding
	status       chat.Status // of its literals
	changed      bool        // a repair may have changed a value
}

// load takes in the object that a scanner has read.
func (w *callObject) load(f *memberNames, lit *literal.Scanner) {
	*w = callObject{memberNames: f, lit: lit, members: lit.Members()}
	for i := range w.members {
		w.set(member(w.members[i].Index), i)
	}
	w.otherCount, w.firstOther = lit.ExtraMembers()
	w.begin, w.text = lit.ValueSpan().Start, lit.ObjectText()
	w.findings, w.status, w.changed = lit.Findings(), lit.Status(), lit.ValueChanged()
}

// addMember takes in a member whose value was read separately.
func (w *callObject) addMember(name string, m literal.Member, status chat.Status, changed bool) {
	w.changed = w.changed || changed
	if w.status == "" || w.status == chat.StatusOK || status == chat.StatusAmbiguous {
		w.status = status
	}
	m.Index = slices.Index(callMembers, name)
	if m.Index < 0 || w.memberIndex[m.Index] > 0 { // which of two values was meant is unknown, so it is no call
		w.otherCount++
		return
	}
	w.members = append(w.members, m)
	w.set(member(m.Index), len(w.members)-1)
}

// set says which of the members is one of those that are known.
func (w *callObject) set(m member, index int) {
	w.memberIndex[m] = uint8(index + 1)
	w.memberBits |= 1 << m
}

// get returns a member, nil if it is missing.
func (w *callObject) get(m member) *literal.Member {
	if w.memberIndex[m] == 0 {
		return nil
	}
	return &w.members[w.memberIndex[m]-1]
}

// brace returns the place of the call's opening brace.
func (w *callObject) brace() diag.Span { return diag.Bytes(w.begin, w.begin+1) }

// json returns the value of a member that it has.
func (w *callObject) json(m member) json.RawMessage {
	if w.cachedValue == nil || w.cachedMember != m {
		w.cachedValue, w.cachedMember = w.lit.JSON(w.get(m)), m
	}
	return w.cachedValue
}

// first returns the first member that it has of some, and how many those are.
func (w *callObject) first(from, to member) (first member, count int) {
	which := w.memberBits >> from << from & (2<<to - 1)
	if which == 0 {
		return 0, 0
	}
	return member(bits.TrailingZeros32(which)), bits.OnesCount32(which)
}

// A shape is what tells the tool and its arguments in an object.
type shape struct {
	isOwn      bool // it is that of the dialect itself
	severalFit bool // another member could be meant as well
	extra      bool // there is more in "function"
	hasName    bool // something tells the tool
	name       string
	nameMember member
	hasArgs    bool // something tells the arguments
	args       json.RawMessage
	argsMember member
	innerKey   string // the member of "function" that holds the arguments, if they are there
}

// shape finds out what tells the tool and its arguments.
func (w *callObject) shape() shape {
	var s shape
	by, names := w.first(ofType, ofFunction)
	with, args := w.first(ofParameters, ofInput)
	if names == 0 {
		return s
	}
	if by == ofType {
		kind, _ := w.get(ofType).Text()
		if names == 1 || !slices.Contains(callTypes, kind) {
			names = 1
		} else {
			by, names = w.first(ofName, ofFunction)
		}
	}
	s.nameMember, s.hasName = by, true
	s.isOwn = by == w.memberNames.name && (args == 0 || with == w.memberNames.args)
	s.name, _ = w.get(by).Text()
	s.severalFit = names > 1 || args > 1 && !s.isOwn
	if by == ofFunction && w.get(by).Kind() == '{' {
		s.readNested(w.json(by))
	}
	if args > 0 && !s.hasArgs {
		s.hasArgs, s.argsMember, s.args = true, with, w.json(with)
	}
	return s
}

// readNested reads {"name": …, "arguments": …} in a "function".
func (s *shape) readNested(object json.RawMessage) {
	var inner map[string]json.RawMessage
	var name string
	if json.Unmarshal(object, &inner) != nil || json.Unmarshal(inner["name"], &name) != nil {
		return // it has no name
	}
	s.name = name
	for _, key := range callMembers[ofParameters : ofInput+1] {
		if args, ok := inner[key]; ok {
			s.hasArgs, s.argsMember, s.args, s.innerKey = true, ofFunction, args, key
			break
		}
	}
	s.extra = len(inner) > 1 && !s.hasArgs || len(inner) > 2
}

// keys returns how the members that tell the tool and its arguments are called.
func (s *shape) keys() []string {
	name, args := s.nameMember.String(), s.argsMember.String()
	if s.nameMember == ofFunction && s.name != "" && (s.innerKey != "" || !s.hasArgs) {
		name = "function.name"
	}
	if s.innerKey != "" {
		args = "function." + s.innerKey
	}
	if !s.hasArgs {
		return []string{name}
	}
	return []string{name, args}
}

// isCall reports whether an object that is alone is beyond doubt a call: it
// has all that a call needs, and nothing that a call does not have. A definition
// of a tool, for example, has a name and parameters as well.
func (w *callObject) isCall() bool {
	s := w.shape()
	if w.otherCount > 0 || s.name == "" || s.severalFit || s.extra || !s.hasArgs {
		return false
	}
	if s.isOwn && w.memberNames.needsID && w.memberIndex[ofID] == 0 && w.memberIndex[ofOperation] == 0 {
		return false
	}
	return holdsObject(s.args) || s.args[0] == '{' && !isSchema(s.args)
}

// holdsObject reports whether a value is a string in which an object begins.
func holdsObject(value json.RawMessage) bool {
	var text string
	return value[0] == '"' && json.Unmarshal(value, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{")
}

// isSchema reports whether an object is a JSON Schema of arguments, as it is in
// the definition of a tool.
func isSchema(object json.RawMessage) bool {
	if !bytes.Contains(object, []byte(`"properties"`)) {
		return false
	}
	var schema struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(object, &schema) == nil && schema.Type == "object" && len(schema.Properties) > 0 && schema.Properties[0] == '{'
}

// argumentsPointer returns a pointer into the object as one into its arguments. Where a
// fault has kept these from being found they are what looks like them.
func (s *shape) argumentsPointer(pointer string) string {
	path := ""
	inner, nested := strings.CutPrefix(pointer, "/function/")
	if nested {
		path = "/function"
	} else {
		inner = strings.TrimPrefix(pointer, "/")
	}
	name, _, _ := strings.Cut(inner, "/")
	if i := slices.Index(callMembers, name); i < int(ofParameters) || i > int(ofInput) || s.hasArgs && name != s.innerKey && name != s.argsMember.String() {
		return ""
	}
	return strings.TrimPrefix(pointer, path+"/"+name)
}
