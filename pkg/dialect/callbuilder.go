package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/quote"
)

// A callReader builds a call from its written form.
type callReader struct {
	tools Toolset // nil if unknown
	*callObject
	matchedMembers
	call     chat.Call
	findings []diag.Finding
	idSpan   diag.Span // location of the ID, if it has one
	nameSpan diag.Span // location of the name
}

// isFullForm reports whether the call has the dialect's own members and all of them are required.
func (r *callReader) isFullForm() bool { return r.isOwn && r.memberNames.needsID }

// callFormHint describes the form of a call.
func (r *callReader) callFormHint() string {
	if r.callObject == nil || r.memberNames.needsID {
		return callHint
	}
	return "a call is " + r.memberNames.callForm()
}

func (r *callReader) addFinding(f diag.Finding) { r.findings = append(r.findings, f) }

// addError adds an error, which makes the call not executable.
func (r *callReader) addError(code diag.Code, place diag.Span, format string, args ...any) {
	f := diag.New(code, place, format, args...)
	f.Severity = diag.Error
	if code == diag.CallMember {
		f.Hint = r.callFormHint()
	}
	r.addFinding(f)
}

// reportWrongType reports a member of the wrong type.
func (r *callReader) reportWrongType(m member, want string) {
	r.addError(diag.CallMember, r.get(m).ValueSpan(), "%q: expected %s, got %s", m, want, describeKind(r.get(m).Kind()))
}

// reportMissing reports a missing member.
func (r *callReader) reportMissing(m member, why string) {
	r.addError(diag.CallMember, r.braceSpan(), "missing member %q%s", m, why)
}

func (r *callReader) callSpan() diag.Span { return diag.Bytes(r.call.Start, r.call.End) }

// readObject builds the call. If the text is faulty or cut, only that is reported.
func (r *callReader) readObject(w *callObject) {
	r.callObject, r.matchedMembers, r.findings = w, w.matchMembers(), w.findings
	r.call = chat.Call{
		Status: w.status, ValueChanged: w.changed, Start: w.begin, End: w.begin + len(w.text), Text: w.text,
	}
	for i, f := range r.findings {
		r.findings[i].Path = r.argumentsPointer(f.Path)
	}
	whole := w.status != chat.StatusInvalid && w.status != chat.StatusTruncated
	r.readName(whole)
	r.readID(whole)
	if whole && r.call.Name != "" {
		r.readMembers()
	}
	if !whole {
		r.suggestRepair()
	}
	r.setStatus()
}

func (r *callReader) readMembers() {
	switch {
	case r.isFullForm():
		r.checkOperation()
	case !r.isOwn && !r.severalFit:
		r.reportMemberAliases()
	}
	r.readArguments()
	r.readPriority()
	r.reportUnknownMembers()
}

// setStatus sets the status of the call from its findings.
func (r *callReader) setStatus() {
	c := &r.call
	switch worst := diag.Worst(r.findings); {
	case c.Status == chat.StatusTruncated || c.Status == chat.StatusAmbiguous:
	case worst == diag.Error:
		c.Status = chat.StatusInvalid
	case worst == diag.Warning && c.Status == chat.StatusOK:
		c.Status = chat.StatusRepaired
	}
	c.Executable = c.Status == chat.StatusOK || c.Status == chat.StatusRepaired
}

func (r *callReader) readName(whole bool) {
	switch {
	case !r.hasName && whole:
		r.reportMissing(r.memberNames.name, ": the call names no tool")
	case !r.hasName:
	case r.name == "" && r.get(r.nameMember).Kind() != '"':
		r.reportWrongType(r.nameMember, "a tool name")
	default:
		if r.severalFit {
			r.addError(diag.CallMember, r.braceSpan(), "several members could name the tool or hold its arguments")
		}
		r.readToolName()
	}
}

// readToolName reads the tool name.
func (r *callReader) readToolName() {
	place := r.get(r.nameMember)
	if place.Kind() == '"' {
		r.nameSpan = place.ValueSpan()
	}
	written := r.nameBeforeControlToken(place)
	name, noise := cleanName(written, r.tools)
	if _, known := r.tools[name]; name != "" && !known && place.Kind() == '"' && strings.HasPrefix(written, `"`) { // the JSON string contains the quotes
		name, noise = written, "the tool name contains quotes, as written"
	}
	switch {
	case !isToolName(name):
		r.addError(diag.CallMember, place.ValueSpan(), "%q is not a tool name", excerpt(r.name))
		return
	case noise != "":
		f := diag.New(diag.NameNoise, place.ValueSpan(), "%s", noise)
		if name == written {
			f.Severity = diag.Info
		} else if place.Kind() == '"' && !r.hasOverlappingFix(place.ValueSpan()) {
			kind := diag.Safe
			if !isCleanName(name, r.tools) {
				kind = diag.Unsafe
			}
			f.Fixes = newFix(kind, "remove it", diag.Edit{Start: place.ValueSpan().Start, End: place.ValueSpan().End, New: quote.JSON(name)})
		}
		r.addFinding(f)
	}
	r.call.Name = name
}

// nameBeforeControlToken returns the name up to its first control token, and reports the token. The token may have
// split another name, so the rest must be a known tool for the call to run.
func (r *callReader) nameBeforeControlToken(place *literal.Member) string {
	i := controlTokenOffset(r.name)
	if _, known := r.tools[r.name]; i <= 0 || known {
		return r.name
	}
	name := strings.TrimSpace(r.name[:i])
	f := diag.New(diag.MarkupInName, place.ValueSpan(), "the tool name contains %q, which is not part of it", excerpt(r.name[i:]))
	clean, _ := cleanName(name, r.tools)
	if _, known := r.tools[clean]; !known {
		f.Severity = diag.Error
	}
	if place.Kind() == '"' && !r.hasOverlappingFix(place.ValueSpan()) {
		f.Fixes = newFix(diag.Unsafe, "remove it", diag.Edit{Start: place.ValueSpan().Start, End: place.ValueSpan().End, New: quote.JSON(name)})
	}
	r.addFinding(f)
	return name
}

// cleanName removes noise from the name of the call.
func (r *callReader) cleanName(place diag.Span) {
	if name, noise := cleanName(r.call.Name, r.tools); noise != "" && name != "" {
		r.call.Name = name
		r.addFinding(diag.New(diag.NameNoise, place, "%s", noise))
	}
}

// hasOverlappingFix reports whether an existing fix edits a span.
func (r *callReader) hasOverlappingFix(place diag.Span) bool {
	for _, f := range r.findings {
		for _, x := range f.Fixes {
			for _, e := range x.Edits {
				if e.Start < place.End && e.End > place.Start {
					return true
				}
			}
		}
	}
	return false
}

// readID reads the ID. In the dialect's own form it is required and a string; other forms also have numbers.
func (r *callReader) readID(whole bool) {
	last := ofToolCallID
	if r.isFullForm() {
		last = ofID
	}
	by, count := r.firstPresent(ofID, last)
	isString := false
	if count > 0 {
		r.idSpan = r.get(by).ValueSpan()
		r.call.ID, isString = r.get(by).Text()
		if !isString && !r.isFullForm() && describeKind(r.get(by).Kind()) == "a number" {
			r.call.ID = string(r.valueJSON(by))
		}
	}
	switch {
	case !r.isFullForm() || !whole:
	case count == 0:
		r.reportMissing(ofID, "")
	case !isString:
		r.reportWrongType(ofID, "a string")
	case r.call.ID == "":
		r.addError(diag.CallMember, r.idSpan, "%q is empty", ofID)
	}
}

func (r *callReader) checkOperation() {
	switch m := r.get(ofOperation); {
	case m == nil:
		r.reportMissing(ofOperation, "")
	case m.Kind() != '"':
		r.reportWrongType(ofOperation, "a string")
	}
}

// reportMemberAliases reports member names of another dialect.
func (r *callReader) reportMemberAliases() {
	var found, expected []string
	place := r.get(r.nameMember).KeySpan()
	for i, key := range r.keyNames() {
		if own := []member{r.memberNames.name, r.memberNames.args}[i].String(); key != own {
			found, expected = append(found, key), append(expected, own)
		} else if i == 0 && r.hasArgs {
			place = r.get(r.argsMember).KeySpan()
		}
	}
	verb := "are"
	if len(found) == 1 {
		verb = "is"
	}
	r.addFinding(diag.New(diag.CallVariant, place, "%s %s read as %s", quoteAndJoin(found), verb, quoteAndJoin(expected)))
}

// readArguments reads the arguments. A string that contains an object counts as the object.
func (r *callReader) readArguments() {
	if !r.hasArgs {
		switch {
		case r.isFullForm():
			r.reportMissing(ofParameters, "")
		case r.hasMisplacedArguments():
			r.addError(diag.CallMember, r.firstOther, "the arguments are under an unknown key, expected %q", r.memberNames.args)
		default:
			r.useEmptyArguments(r.braceSpan())
		}
		return
	}
	place := r.get(r.argsMember).ValueSpan()
	switch kind := r.args[0]; {
	case kind == '{':
		r.call.Arguments = r.args
	case kind == '"':
		r.readEncodedArguments(place)
	case kind == 'n' && !r.isFullForm():
		r.useEmptyArguments(place)
	default:
		r.reportWrongType(r.argsMember, "an object")
	}
}

// hasMisplacedArguments reports whether an unknown member may hold the arguments: the only one holds an object
// or array, or there are several.
func (r *callReader) hasMisplacedArguments() bool {
	if r.otherCount != 1 {
		return r.otherCount > 0
	}
	value := strings.TrimLeft(r.text[r.firstOther.End-r.begin:], ": \t\r\n")
	return strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") || strings.HasPrefix(value, `"{`)
}

func (r *callReader) useEmptyArguments(place diag.Span) {
	r.call.Arguments = json.RawMessage("{}")
	r.addFinding(noArgumentsFinding(place))
}

// noArgumentsFinding returns the finding for a call without arguments.
func noArgumentsFinding(place diag.Span) diag.Finding {
	return diag.New(diag.NoArguments, place, "the call has no arguments; {} is used")
}

// readEncodedArguments reads arguments encoded as a string.
func (r *callReader) readEncodedArguments(place diag.Span) {
	var text string
	if json.Unmarshal(r.args, &text) != nil {
		return // parsed as a string before
	}
	if strings.TrimSpace(text) == "" && !r.isFullForm() {
		r.useEmptyArguments(place)
		return
	}
	d := parseObject(text)
	if slices.ContainsFunc(d.Findings, func(f diag.Finding) bool { return f.Code == diag.ConcatenatedValues }) {
		r.addError(diag.ConcatenatedValues, place, "%q is a string with several values: it is unclear which one was meant", r.argsMember)
		return
	}
	if d.Value == nil {
		r.addError(diag.CallMember, place, "%q: expected an object, got a string that contains none: %s", r.argsMember, excerpt(text))
		return
	}
	f := diag.New(diag.DoubleEncoded, place, "the arguments are a string that contains an object, which is read")
	if len(r.findings) == 0 && d.Status == chat.StatusOK && r.innerKey == "" {
		f.Fixes = newFix(diag.Safe, "write the object", diag.Edit{Start: place.Start, End: place.End, New: string(d.Value)})
	}
	r.addFinding(f)
	r.call.Arguments, r.call.ValueChanged = d.Value, r.call.ValueChanged || d.ValueChanged
	if d.Status == chat.StatusAmbiguous {
		r.call.Status = chat.StatusAmbiguous
	}
	for _, f := range d.Findings { // their spans refer to the string
		f.Span, f.Fixes = place, nil
		r.addFinding(f)
	}
}

// parseObject parses a text that should be a JSON object.
func parseObject(text string) literal.Parsed {
	d := literal.ParseJSON(text)
	if d.Value != nil && d.Value[0] != '{' {
		d.Value = nil
	}
	return d
}

func (r *callReader) readPriority() {
	m := r.get(ofPriority)
	if m == nil {
		return
	}
	number, err := strconv.ParseFloat(string(r.valueJSON(ofPriority)), 64)
	switch {
	case describeKind(m.Kind()) != "a number":
		r.reportWrongType(ofPriority, "a number")
	case err != nil:
		r.addError(diag.CallMember, m.ValueSpan(), "%q is out of range", ofPriority)
	default:
		r.call.Priority = number
	}
}

// reportUnknownMembers reports unknown members, and next to the dialect's own members those of other dialects.
func (r *callReader) reportUnknownMembers() {
	count, first := r.otherCount, r.firstOther
	for m := ofType; m <= ofToolCallID && r.isFullForm(); m++ {
		if r.memberIndex[m] == 0 || m == ofType || m == ofParameters || m == ofID {
			continue
		}
		if key := r.get(m).KeySpan(); count == 0 || key.Start < first.Start {
			first = key
		}
		count++
	}
	if count == 0 {
		return
	}
	name := excerpt(strings.Trim(r.text[first.Start-r.begin:first.End-r.begin], `"'`))
	message := fmt.Sprintf("unknown member %q", name)
	if count > 1 {
		message = fmt.Sprintf("unknown members: %q and %d more", name, count-1)
	}
	r.addFinding(diag.New(diag.UnknownMember, first, "%s", message))
}
