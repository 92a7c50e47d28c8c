package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// An origin is where a call was read.
type origin struct {
	native  bool            // the server has read it
	program string          // that made it, and not the model; "" for none
	text    string          // as it was written, or the arguments of a native call
	args    json.RawMessage // as they were written
	tools   dialect.Toolset // with which that text was read
	base    int             // where that text begins in the one that holds it
	layers  []*layer        // around the text that holds it, from the inside
	name    diag.Span       // in the text that holds it; the zero value if that is not known
	named   *layer          // of the name of a native call
}

// bind holds each call that counts against the definition of its tool.
func (r *Record) bind(from reading, o Options) {
	drafts := from.drafts()
	for i, c := range from.calls {
		def, ok := o.Tools.Get(c.Name)
		switch {
		case c.Status == chat.StatusSuppressed || drafts[i]: // there is a finding that says why it is not run
		case !ok:
			r.about(i, from.origins[i].atName(unknown(c.Name, o.Tools)))
		case c.Arguments != nil:
			r.check(i, c, def, from.origins[i], o.Coerce)
		}
	}
}

// atName returns a finding with the place of the name of the call, if that is known.
func (o origin) atName(f diag.Finding) diag.Finding {
	if f.Span = o.name; o.name.End == 0 {
		return f
	}
	if o.named != nil {
		o.layers = append([]*layer{o.named}, o.layers[1:]...)
	}
	return o.moved(f)
}

// drafts returns the calls that stand where none counts, whatever else is wrong with them.
func (r *reading) drafts() map[int]bool {
	all := map[int]bool{}
	for _, f := range r.findings {
		if f.Call != nil && (f.Code == diag.InReasoning || f.Code == diag.QuotedCall || f.Code == diag.AfterEnd) {
			all[*f.Call] = true
		}
	}
	return all
}

// check holds the arguments of call i against a definition.
func (r *Record) check(i int, c chat.Call, def *tool.Definition, from origin, coerce bool) {
	bound, findings := def.Bind(c)
	if diag.HasErrors(findings) {
		r.about(i, findings...)
		return
	}
	call := &r.Calls[i]
	call.bind(c, bound, def)
	if findings := tool.Strict(bound.Arguments); len(findings) > 0 {
		r.about(i, call.placed([]fault{{Finding: findings[0]}}, from)...)
		return
	}
	var faults []fault
	if coerce {
		faults = call.coerce(def)
	} else {
		faults = judged(def, call.Arguments)
	}
	if c.Status == chat.StatusTruncated { // it may have been next
		faults = slices.DeleteFunc(faults, func(f fault) bool { return f.Code == diag.MissingArg })
	}
	call.Defaults = def.Defaults(call.Arguments)
	r.about(i, call.placed(faults, from)...)
}

// bind takes over the arguments of a call that was bound to a definition.
func (c *Call) bind(written, bound chat.Call, def *tool.Definition) {
	named := written.Positional && !bytes.Equal(c.Arguments, bound.Arguments)
	c.Arguments = bound.Arguments
	if !named {
		return
	}
	c.heads = nil
	for _, p := range def.Signature.Params {
		c.heads = append(c.heads, string(jsontext.Pointer("").AppendToken(p.Name)))
	}
}

// A fault is what is wrong with an argument, and what it could be instead.
type fault struct {
	diag.Finding
	could *tool.Coercion // nil if nothing is known
}

// judged returns what is wrong with the arguments of a call, and of each value what
// it could be instead.
func judged(def *tool.Definition, args json.RawMessage) []fault {
	findings := def.Check(args)
	if len(findings) == 0 {
		return nil
	}
	_, coercions := def.Coerce(args)
	could, faults := byPath(coercions), []fault{}
	for _, f := range findings {
		k := could[f.Path]
		switch {
		case k == nil || f.Code != diag.WrongType && f.Code != diag.NotInEnum:
			k = nil
		case k.Lossy != "":
			f = lossy(f, k)
		default:
			f.Hint = "with parse --coerce it " + becomes(k)
		}
		faults = append(faults, fault{f, k})
	}
	return faults
}

// coerce changes the arguments of a call to what they have to be, as far as nothing
// is lost by it, and returns what was changed and what is wrong all the same.
func (c *Call) coerce(def *tool.Definition) []fault {
	before := def.Check(c.Arguments)
	args, coercions := def.Coerce(c.Arguments)
	after := before
	if len(coercions) > 0 {
		after = def.Check(args)
	}
	c.Arguments = args
	could := byPath(coercions)
	faults := c.changes(before, coercions)
	for _, f := range after {
		if k := could[f.Path]; k != nil && k.Lossy != "" && f.Code == diag.WrongType {
			f = lossy(f, k)
		}
		faults = append(faults, fault{f, nil})
	}
	return faults
}

// changes returns a warning for each value that was changed, in the words of what was
// wrong with it.
func (c *Call) changes(before []diag.Finding, coercions []tool.Coercion) []fault {
	wrong := map[string]string{}
	for _, f := range before {
		wrong[f.Path] = f.Message + "; it "
	}
	var faults []fault
	for i, k := range coercions {
		if k.Lossy != "" {
			continue
		}
		f := diag.New(diag.WrongType, diag.Span{}, "%s%s", cmp.Or(wrong[k.Path], k.Argument()+": "+string(k.From)+" "), becomes(&k))
		f.Path, f.Severity = k.Path, diag.Warning
		faults = append(faults, fault{f, &coercions[i]})
		c.ValueChanged = c.ValueChanged || k.Retypes()
		if c.Status == chat.StatusOK {
			c.Status = chat.StatusRepaired
		}
	}
	return faults
}

// byPath returns what is said about each value.
func byPath(all []tool.Coercion) map[string]*tool.Coercion {
	m := make(map[string]*tool.Coercion, len(all))
	for i := range all {
		m[all[i].Path] = &all[i]
	}
	return m
}

// lossy returns a finding about a value that could only be guessed.
func lossy(f diag.Finding, k *tool.Coercion) diag.Finding {
	l := diag.New(diag.LossyCoercion, f.Span, "%s; %s", f.Message, k.Lossy)
	l.Path = f.Path
	return l
}

// becomes says what a value is changed to: "is read as 5".
func becomes(k *tool.Coercion) string {
	if k.To == nil {
		return "is left out"
	}
	return "is read as " + inShort(k.To)
}

// placed returns findings about a call that stand where their arguments do, with the
// fixes that write what a value could be. Where the call could be run with them, and
// has been read with them, they are safe.
func (c *Call) placed(faults []fault, from origin) []diag.Finding {
	kind, findings := diag.Unsafe, make([]diag.Finding, len(faults))
	var pointers []string
	for i, f := range faults {
		findings[i] = f.Finding
		pointers = append(pointers, c.written(f.Path))
	}
	if c.Executable && !diag.HasErrors(findings) {
		kind = diag.Safe
	}
	from, places := from.places(pointers)
	for i, f := range faults {
		findings[i] = f.placed(places[pointers[i]], from, kind)
	}
	return findings
}

// placed returns the finding with its place, if it has one, and its fix.
func (f fault) placed(at valuePlace, from origin, kind diag.FixKind) diag.Finding {
	span := at.Value
	if f.Code == diag.UnknownArg && at.exact && at.Name.End > 0 {
		span = at.Name
	}
	known := span.End > 0
	if known {
		f.Span = diag.Bytes(from.base+span.Start, from.base+span.End)
	}
	if f.could != nil && f.could.Lossy == "" {
		f.Fixes = []diag.Fix{f.fix(known && at.exact && !at.text, kind)}
	}
	if known {
		return from.moved(f.Finding)
	}
	return f.Finding
}

// moved returns a finding about the text that holds the call as one about the file.
func (o origin) moved(f diag.Finding) diag.Finding {
	for _, l := range o.layers {
		f = l.finding(f)
	}
	return f
}

// fix returns the fix that writes what the value could be, in its place if that is
// known.
func (f fault) fix(known bool, kind diag.FixKind) diag.Fix {
	if f.could.To == nil {
		return diag.Fix{Title: "leave it out", Kind: diag.Display}
	}
	x := diag.Fix{Title: "write " + inShort(f.could.To), Kind: diag.Display}
	if known {
		x.Kind, x.Edits = kind, []diag.Edit{{Start: f.Span.Start, End: f.Span.End, New: string(f.could.To)}}
	}
	return x
}

// inShort returns a value for a message, or what it is if it is long.
func inShort(v json.RawMessage) string {
	const most = 60
	switch {
	case len(v) <= most:
		return string(v)
	case v[0] == '{':
		return "an object"
	case v[0] == '[':
		return "an array"
	}
	return strings.ToValidUTF8(string(v[:most]), "") + "…"
}
