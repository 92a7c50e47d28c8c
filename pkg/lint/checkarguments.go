package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// An origin records where a call was read from.
type origin struct {
	native    bool            // a native call, parsed by the server
	program   string          // ID of the program that made the call; "" if the model did
	text      string          // the call as written, or the arguments of a native call
	args      json.RawMessage // the arguments as written
	tools     dialect.Toolset // the tools for which the text was parsed
	offset    int             // of the text in the enclosing text
	layers    []*layer        // around the enclosing text, innermost first
	nameSpan  diag.Span       // of the tool name in the enclosing text; zero if unknown
	nameLayer *layer          // the layer of a native call's name
}

// bindAndCheckCalls checks each call against the definition of its tool. Ignored calls are skipped.
func (r *ParseResult) bindAndCheckCalls(from scanResult, o Options) {
	drafts := from.inertCalls()
	for i, c := range from.calls {
		def, ok := o.Tools.Get(c.Name)
		switch {
		case c.Status == chat.StatusSuppressed || drafts[i]: // another finding explains why it is not executed
		case !ok:
			r.reportCall(i, from.origins[i].locateAtName(unknownToolFinding(c.Name, o.Tools)))
		case c.Arguments != nil:
			r.checkArguments(i, c, def, from.origins[i], o.Coerce)
		}
	}
}

// locateAtName returns a finding located at the call's tool name, if its span is known.
func (o origin) locateAtName(f diag.Finding) diag.Finding {
	if f.Span = o.nameSpan; o.nameSpan.End == 0 {
		return f
	}
	if o.nameLayer != nil {
		o.layers = append([]*layer{o.nameLayer}, o.layers[1:]...)
	}
	return o.findingInFile(f)
}

// inertCalls returns the calls in places where calls do not count.
func (r *scanResult) inertCalls() map[int]bool {
	all := map[int]bool{}
	for _, f := range r.findings {
		if f.Call != nil && (f.Code == diag.CallInReasoning || f.Code == diag.QuotedCall || f.Code == diag.CallAfterEnd) {
			all[*f.Call] = true
		}
	}
	return all
}

// checkArguments checks the arguments of call i against a definition.
func (r *ParseResult) checkArguments(i int, c chat.Call, def *tool.Definition, from origin, coerce bool) {
	bound, findings := def.BindPositional(c)
	if diag.HasErrors(findings) {
		r.reportCall(i, findings...)
		return
	}
	call := &r.Calls[i]
	call.setBoundArguments(c, bound, def)
	if findings := tool.CheckStrict(bound.Arguments); len(findings) > 0 {
		r.reportCall(i, call.locateFindings([]argumentFinding{{Finding: findings[0]}}, from)...)
		return
	}
	var faults []argumentFinding
	if coerce {
		faults = call.coerceArguments(def)
	} else {
		faults = checkWithSuggestions(def, call.Arguments)
	}
	if c.Status == chat.StatusTruncated { // the missing argument may have been next
		faults = slices.DeleteFunc(faults, func(f argumentFinding) bool { return f.Code == diag.MissingArg })
	}
	call.Defaults = def.MissingDefaults(call.Arguments)
	r.reportCall(i, call.locateFindings(faults, from)...)
}

// setBoundArguments replaces the arguments by those bound to a definition.
func (c *Call) setBoundArguments(written, bound chat.Call, def *tool.Definition) {
	named := written.Positional && !bytes.Equal(c.Arguments, bound.Arguments)
	c.Arguments = bound.Arguments
	if !named {
		return
	}
	c.positionalPaths = nil
	for _, p := range def.Signature.Params {
		c.positionalPaths = append(c.positionalPaths, string(jsontext.Pointer("").AppendToken(p.Name)))
	}
}

// An argumentFinding is a finding about an argument, with a value that would fix it.
type argumentFinding struct {
	diag.Finding
	coercion *tool.Coercion // nil for none
}

// checkWithSuggestions checks the arguments of a call and adds to each finding the coercion that
// would fix it.
func checkWithSuggestions(def *tool.Definition, args json.RawMessage) []argumentFinding {
	findings := def.Check(args)
	if len(findings) == 0 {
		return nil
	}
	_, coercions := def.Coerce(args)
	could, faults := coercionsByPath(coercions), []argumentFinding{}
	for _, f := range findings {
		k := could[f.Path]
		switch {
		case k == nil || f.Code != diag.WrongType && f.Code != diag.NotInEnum:
			k = nil
		case k.Loss != "":
			f = lossyFinding(f, k)
		default:
			f.Hint = "with parse --coerce it " + describeCoercion(k)
		}
		faults = append(faults, argumentFinding{f, k})
	}
	return faults
}

// coerceArguments applies the lossless coercions to a call's arguments, and returns warnings for
// these and the findings that remain.
func (c *Call) coerceArguments(def *tool.Definition) []argumentFinding {
	before := def.Check(c.Arguments)
	args, coercions := def.Coerce(c.Arguments)
	after := before
	if len(coercions) > 0 {
		after = def.Check(args)
	}
	c.Arguments = args
	could := coercionsByPath(coercions)
	faults := c.coercionWarnings(before, coercions)
	for _, f := range after {
		if k := could[f.Path]; k != nil && k.Loss != "" && f.Code == diag.WrongType {
			f = lossyFinding(f, k)
		}
		faults = append(faults, argumentFinding{f, nil})
	}
	return faults
}

// coercionWarnings returns a warning for each coerced value, in the words of the finding it
// resolves.
func (c *Call) coercionWarnings(resolved []diag.Finding, coercions []tool.Coercion) []argumentFinding {
	wrong := map[string]string{}
	for _, f := range resolved {
		wrong[f.Path] = f.Message + "; it "
	}
	var faults []argumentFinding
	for i, k := range coercions {
		if k.Loss != "" {
			continue
		}
		f := diag.New(diag.WrongType, diag.Span{}, "%s%s", cmp.Or(wrong[k.Path], k.Argument()+": "+string(k.From)+" "), describeCoercion(&k))
		f.Path, f.Severity = k.Path, diag.Warning
		faults = append(faults, argumentFinding{f, &coercions[i]})
		c.ValueChanged = c.ValueChanged || k.ChangesType()
		if c.Status == chat.StatusOK {
			c.Status = chat.StatusRepaired
		}
	}
	return faults
}

func coercionsByPath(all []tool.Coercion) map[string]*tool.Coercion {
	m := make(map[string]*tool.Coercion, len(all))
	for i := range all {
		m[all[i].Path] = &all[i]
	}
	return m
}

// lossyFinding turns a finding into one about a lossy coercion.
func lossyFinding(f diag.Finding, k *tool.Coercion) diag.Finding {
	l := diag.New(diag.LossyCoercion, f.Span, "%s; %s", f.Message, k.Loss)
	l.Path = f.Path
	return l
}

// describeCoercion describes a coercion: "is read as 5".
func describeCoercion(k *tool.Coercion) string {
	if k.To == nil {
		return "is omitted"
	}
	return "is read as " + abbreviate(k.To)
}

// locateFindings returns findings about a call with the spans of their arguments and fixes that
// write the coerced values. The fixes are safe if the call was read with these values and is
// executable.
func (c *Call) locateFindings(faults []argumentFinding, from origin) []diag.Finding {
	kind, findings := diag.Unsafe, make([]diag.Finding, len(faults))
	var pointers []string
	for i, f := range faults {
		findings[i] = f.Finding
		pointers = append(pointers, c.writtenPath(f.Path))
	}
	if c.Executable && !diag.HasErrors(findings) {
		kind = diag.Safe
	}
	from, places := from.locateArguments(pointers)
	for i, f := range faults {
		findings[i] = f.located(places[pointers[i]], from, kind)
	}
	return findings
}

// located returns the finding with its span, if that is known, and its fix.
func (f argumentFinding) located(at valueLocation, from origin, kind diag.FixKind) diag.Finding {
	span := at.Value
	if f.Code == diag.UnknownArg && at.exact && at.Name.End > 0 {
		span = at.Name
	}
	known := span.End > 0
	if known {
		f.Span = diag.Bytes(from.offset+span.Start, from.offset+span.End)
	}
	if f.coercion != nil && f.coercion.Loss == "" {
		f.Fixes = []diag.Fix{f.newFix(known && at.exact && !at.isText, kind)}
	}
	if known {
		return from.findingInFile(f.Finding)
	}
	return f.Finding
}

// findingInFile converts a finding's spans from the enclosing text to the file.
func (o origin) findingInFile(f diag.Finding) diag.Finding {
	for _, l := range o.layers {
		f = l.findingWithOuterSpans(f)
	}
	return f
}

// newFix returns the fix that writes the coerced value, with edits if its span is known.
func (f argumentFinding) newFix(known bool, kind diag.FixKind) diag.Fix {
	if f.coercion.To == nil {
		return diag.Fix{Title: "omit it", Kind: diag.Display}
	}
	x := diag.Fix{Title: "write " + abbreviate(f.coercion.To), Kind: diag.Display}
	if known {
		x.Kind, x.Edits = kind, []diag.Edit{{Start: f.Span.Start, End: f.Span.End, New: string(f.coercion.To)}}
	}
	return x
}

// abbreviate returns a value for a message, cut or described if it is long.
func abbreviate(v json.RawMessage) string {
	const maxBytes = 60
	switch {
	case len(v) <= maxBytes:
		return string(v)
	case v[0] == '{':
		return "an object"
	case v[0] == '[':
		return "an array"
	}
	return quote.Shorten(string(v), maxBytes)
}
