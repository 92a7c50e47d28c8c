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

// nameArguments are the member names of most models.
var nameArguments = memberNames{name: ofName, args: ofArguments}

// nameParameters are those of Llama 3 and InternLM.
var nameParameters = memberNames{name: ofName, args: ofParameters}

// callHint describes the form of a call.
const callHint = `a call is {"type": …, "id": …, "operation": …, "parameters": {…}}, in the array "toolCalls"`

// A member is a member that a call can have in this dialect or a similar one.
type member int

const (
	ofType member = iota // the first of those that name the tool
	ofName
	ofToolName
	ofTool
	ofAction
	ofFunction
	ofParameters // the first of those that hold the arguments
	ofArguments
	ofArgs
	ofToolInput
	ofActionInput
	ofInput
	ofID // the first of those that hold the ID
	ofCallID
	ofToolCallID
	ofOperation
	ofPriority
	memberCount
)

// callMembers are the names of the members, indexed by member.
var callMembers = []string{
	"type", "name", "tool_name", "tool", "action", "function",
	"parameters", "arguments", "args", "tool_input", "action_input", "input",
	"id", "call_id", "tool_call_id", "operation", "priority",
}

func (m member) String() string { return callMembers[m] }

// callTypes are values of "type" in other dialects: they mark an object as a call without naming the tool.
var callTypes = []string{"function", "function_call", "tool_call", "tool_use", "tool", "call"}

// memberNames are the names of a dialect for the tool and the arguments. Others are read as well.
type memberNames struct {
	name, args   member
	needsID      bool // a call has an ID and a description
	namePrecedes bool // the name may precede the marker
	toolIsKey    bool // the tool is the only key of the object, and the arguments its value
}

// A callObject is a call as written: an object and its known members.
type callObject struct {
	memberNames  *memberNames
	members      []literal.Member
	memberIndex  [memberCount]uint8 // index + 1 of each member in members
	memberBits   uint32             // the members present, one bit each
	cachedValue  json.RawMessage    // JSON of cachedMember
	cachedMember member
	otherCount   int              // number of unknown members
	firstOther   diag.Span        // the key of the first
	lit          *literal.Scanner // provides the values
	begin        int
	text         string
	findings     []diag.Finding
	status       chat.Status // of its literals
	changed      bool        // a repair may have changed a value
}

// load sets the object from the items that lit has read.
func (w *callObject) load(f *memberNames, lit *literal.Scanner) {
	*w = callObject{memberNames: f, lit: lit, members: lit.Members()}
	for i := range w.members {
		w.setIndex(member(w.members[i].Index), i)
	}
	w.otherCount, w.firstOther = lit.ExtraMembers()
	w.begin, w.text = lit.ValueSpan().Start, lit.ObjectText()
	w.findings, w.status, w.changed = lit.Findings(), lit.Status(), lit.ValueChanged()
}

// addMember adds a member whose value was read separately.
func (w *callObject) addMember(name string, m literal.Member, status chat.Status, changed bool) {
	w.changed = w.changed || changed
	if w.status == "" || w.status == chat.StatusOK || status == chat.StatusAmbiguous {
		w.status = status
	}
	m.Index = slices.Index(callMembers, name)
	if m.Index < 0 || w.memberIndex[m.Index] > 0 { // ambiguous, so it is not a call
		if w.otherCount == 0 {
			w.firstOther = m.KeySpan()
		}
		w.otherCount++
		return
	}
	w.members = append(w.members, m)
	w.setIndex(member(m.Index), len(w.members)-1)
}

// setIndex records the index of a known member.
func (w *callObject) setIndex(m member, index int) {
	w.memberIndex[m] = uint8(index + 1)
	w.memberBits |= 1 << m
}

// get returns a member, or nil.
func (w *callObject) get(m member) *literal.Member {
	if w.memberIndex[m] == 0 {
		return nil
	}
	return &w.members[w.memberIndex[m]-1]
}

// braceSpan returns the span of the opening brace.
func (w *callObject) braceSpan() diag.Span { return diag.Bytes(w.begin, w.begin+1) }

// valueJSON returns the value of a member that is present.
func (w *callObject) valueJSON(m member) json.RawMessage {
	if w.cachedValue == nil || w.cachedMember != m {
		w.cachedValue, w.cachedMember = w.lit.JSON(w.get(m)), m
	}
	return w.cachedValue
}

// firstPresent returns the first member present in a range, and the number present.
func (w *callObject) firstPresent(from, to member) (first member, count int) {
	which := w.memberBits >> from << from & (2<<to - 1)
	if which == 0 {
		return 0, 0
	}
	return member(bits.TrailingZeros32(which)), bits.OnesCount32(which)
}

// A matchedMembers identifies the tool and the arguments in an object.
type matchedMembers struct {
	isOwn      bool // it has the member names of the dialect
	severalFit bool // another member could be meant
	extra      bool // "function" has further members
	hasName    bool // a member names the tool
	name       string
	nameMember member
	hasArgs    bool // a member holds the arguments
	args       json.RawMessage
	argsMember member
	innerKey   string // the member of "function" that holds the arguments, or ""
}

// matchMembers identifies the tool and the arguments.
func (w *callObject) matchMembers() matchedMembers {
	var s matchedMembers
	by, names := w.firstPresent(ofType, ofFunction)
	with, args := w.firstPresent(ofParameters, ofInput)
	if names == 0 {
		return s
	}
	if by == ofType {
		kind, _ := w.get(ofType).Text()
		if names == 1 || !slices.Contains(callTypes, kind) {
			names = 1
		} else {
			by, names = w.firstPresent(ofName, ofFunction)
		}
	}
	s.nameMember, s.hasName = by, true
	s.isOwn = by == w.memberNames.name && (args == 0 || with == w.memberNames.args)
	s.name, _ = w.get(by).Text()
	if by == ofFunction && w.get(by).Kind() == '{' {
		args += s.readFunctionMember(w.valueJSON(by))
	}
	s.severalFit = names > 1 || args > 1 && !(s.isOwn && w.memberNames.needsID) // with an ID, others are unknown members
	if args > 0 && !s.hasArgs {
		s.hasArgs, s.argsMember, s.args = true, with, w.valueJSON(with)
	}
	return s
}

// readFunctionMember reads {"name": …, "arguments": …} in "function". It returns how many members hold arguments.
func (s *matchedMembers) readFunctionMember(object json.RawMessage) (count int) {
	var inner map[string]json.RawMessage
	var name string
	if json.Unmarshal(object, &inner) != nil || json.Unmarshal(inner["name"], &name) != nil {
		return 0 // without a name
	}
	s.name = name
	for _, key := range callMembers[ofParameters : ofInput+1] {
		if args, ok := inner[key]; ok {
			if count == 0 {
				s.hasArgs, s.argsMember, s.args, s.innerKey = true, ofFunction, args, key
			}
			count++
		}
	}
	s.extra = len(inner) > 1 && !s.hasArgs || len(inner) > 2
	return count
}

// keyNames returns the names of the members for the tool and the arguments.
func (s *matchedMembers) keyNames() []string {
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

// isCertainCall reports whether an object without a marker is certainly a call: it has everything a call needs and
// nothing else. A tool definition, for example, has a name and parameters as well.
func (w *callObject) isCertainCall() bool {
	s := w.matchMembers()
	if w.otherCount > 0 || s.name == "" || s.severalFit || s.extra || !s.hasArgs {
		return false
	}
	if s.isOwn && w.memberNames.needsID && w.memberIndex[ofID] == 0 && w.memberIndex[ofOperation] == 0 {
		return false
	}
	return isStringOfObject(s.args) || s.args[0] == '{' && !isArgumentsSchema(s.args)
}

// hasLikelyArguments reports whether an object with unknown members has arguments, in a usual member or in the first
// unknown one. The definition of a tool has none.
func (w *callObject) hasLikelyArguments(s *matchedMembers) bool {
	key := strings.Trim(w.text[w.firstOther.Start-w.begin:w.firstOther.End-w.begin], `"'`)
	if s.hasArgs {
		isDefinition := s.argsMember == ofParameters && key == "description"
		return !isDefinition && (s.args[0] == '{' || isStringOfObject(s.args))
	}
	value := strings.TrimLeft(w.text[w.firstOther.End-w.begin:], ": \t\r\n")
	return strings.HasPrefix(value, "{") && !strings.Contains(strings.ToLower(key), "schema")
}

// isStringOfObject reports whether a value is a string that begins with an object.
func isStringOfObject(value json.RawMessage) bool {
	var text string
	return value[0] == '"' && json.Unmarshal(value, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{")
}

// isArgumentsSchema reports whether an object is a JSON Schema of arguments, as in a tool definition.
func isArgumentsSchema(object json.RawMessage) bool {
	if !bytes.Contains(object, []byte(`"properties"`)) {
		return false
	}
	var schema struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(object, &schema) == nil && schema.Type == "object" && len(schema.Properties) > 0 && schema.Properties[0] == '{'
}

// argumentsPointer turns a pointer into the object into one into its arguments. If a fault hides the arguments,
// the member that looks like them counts.
func (s *matchedMembers) argumentsPointer(pointer string) string {
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

// callForm returns the form of a call.
func (f *memberNames) callForm() string {
	if f.toolIsKey {
		return "{NAME: {…}}"
	}
	return `{"` + f.name.String() + `": …, "` + f.args.String() + `": {…}}`
}
