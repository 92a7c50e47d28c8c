package tool

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/subprocess"
)

var execKeys = []string{"argv", "stdin", "env", "dir", "output", "ok"}

// decodeProgram reads the program of a definition. Its placeholders are checked against the parameters if those are
// known.
func (d *decoder) decodeProgram(v yamldoc.Value, known bool) {
	m, ok := v.Map(execKeys...)
	if !ok {
		return
	}
	if effect := d.doc.Get("effect"); d.def.Effect != Exec && effect.IsText() {
		effect.Add(diag.DefProgram, "the definition runs a program, so the effect must be exec, got %q", d.def.Effect)
	}
	p := &Program{Output: TextOutput, OK: []int{0}}
	d.def.Exec = p
	p.Raw, _ = v.JSON()
	var evaluates injectionChecker
	d.decodeArgv(m.Required("argv"), known, &evaluates)
	d.decodeStdin(m.Get("stdin"), known, &evaluates)
	d.decodeEnvNames(m.Get("env"))
	d.decodeDir(m.Get("dir"))
	d.decodeOutput(m.Get("output"))
	d.decodeOKExitCodes(m.Get("ok"))
}

func (d *decoder) decodeArgv(v yamldoc.Value, known bool, evaluates *injectionChecker) {
	items, ok := v.List()
	if !ok {
		return
	}
	if len(items) == 0 {
		v.Add(diag.DefProgram, "expected a program as the first element")
		return
	}
	d.def.Exec.Name = d.decodeProgramName(items[0])
	evaluates.setProgram(d.def.Exec.Name)
	for _, item := range items[1:] {
		elements := []yamldoc.Value{item}
		if item.IsList() {
			if elements, _ = item.List(); len(elements) == 0 {
				item.Add(diag.DefValue, "a group of arguments must not be empty")
			}
		}
		var g argvGroup
		for _, e := range elements {
			t, ok := d.decodeArgvElement(e, known)
			if ok && known {
				d.reportInjection(e, t, evaluates.checkElement(t))
			}
			g = append(g, t)
		}
		d.def.Exec.argv = append(d.def.Exec.argv, g)
	}
}

const separateArgumentHint = "pass the value as a separate argument after the program text"

// reportInjection reports why an element cannot contain values, unless the definition lists all values.
func (d *decoder) reportInjection(v yamldoc.Value, t Template, why string) {
	if why != "" && d.acceptsAnyText(t) {
		v.Add(diag.DefProgram, "%s", why).Hint = separateArgumentHint
	}
}

func (d *decoder) decodeProgramName(v yamldoc.Value) string {
	text, ok := v.Text()
	if !ok {
		return ""
	}
	t, wrong := ParseTemplate(text)
	name := t.fill(func(name string) string { return "${" + name + "}" })
	switch {
	case wrong != nil:
		v.AddAt(diag.DefPlaceholder, wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
	case len(t.placeholders()) > 0:
		v.AddAt(diag.DefPlaceholder, t.placeholders()[0].offset, "the program name cannot contain a placeholder: a value would choose the program")
	case name == "" || name == "." || name == ".." || name[0] == '-' || strings.IndexByte(name, 0) >= 0:
		v.Add(diag.DefProgram, "%s is not a valid program name", quote.JSON(name))
	case strings.Contains(name, "/") && (!path.IsAbs(name) || path.Clean(name) != name):
		f := v.Add(diag.DefProgram, "expected an absolute path or a name without a slash, got %s", quote.JSON(name))
		f.Hint = "names are looked up in the policy's path, never in the working directory"
	}
	return name
}

func (d *decoder) decodeArgvElement(v yamldoc.Value, known bool) (Template, bool) {
	t, ok := d.decodeTemplate(v, known, argvContext)
	if !ok || !known {
		return t, ok
	}
	if option := t.literalPrefix(); len(t.placeholders()) > 0 && option != "" && canBeOption(t) && d.acceptsAnyText(t) {
		v.AddAt(diag.DefPlaceholder, t.placeholders()[0].offset, "the value would choose the option").Hint = "write the option out, or give the parameter an enum"
		return t, false
	}
	return t, true
}

// A placeholderContext lists the placeholders that one place of a definition accepts.
type placeholderContext struct {
	allowsList    bool   // a placeholder alone can be a list
	itemNoun      string // noun for an item of that list, in messages
	typeHint      string // hint for values of other types
	allowsSecrets bool   // ${secret:NAME} is allowed
}

var (
	argvContext  = placeholderContext{allowsList: true, itemNoun: "argument", typeHint: "stdin: json passes all arguments to the program"}
	stdinContext = placeholderContext{typeHint: argvContext.typeHint}
)

// decodeTemplate reads a template. Each placeholder must name a parameter whose values fit the context.
func (d *decoder) decodeTemplate(v yamldoc.Value, known bool, in placeholderContext) (Template, bool) {
	text, ok := v.Text()
	if !ok {
		return Template{}, false
	}
	t, wrong := parseTemplate(text, in.allowsSecrets)
	switch {
	case wrong != nil:
		v.AddAt(diag.DefPlaceholder, wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
		return t, false
	case strings.IndexByte(text, 0) >= 0:
		v.Add(diag.DefValue, "NUL is not allowed here")
		return t, false
	}
	for _, placeholder := range t.placeholders() {
		if why, hint := d.placeholderError(t, placeholder.param, in); known && why != "" {
			v.AddAt(diag.DefPlaceholder, placeholder.offset, "%s", why).Hint = hint
			ok = false
		}
	}
	return t, ok
}

// placeholderError returns why the values of a parameter do not fit a placeholder, or "".
func (d *decoder) placeholderError(t Template, name string, in placeholderContext) (why, hint string) {
	p, ok := d.def.findParam(name)
	names := d.def.ParameterNames()
	switch {
	case !ok && len(names) == 0:
		return fmt.Sprintf("unknown parameter %s: the tool has no parameters", name), "write $${ for a literal ${"
	case !ok:
		if hint = schema.DidYouMean(name, names); hint == "" {
			hint = "parameters are " + strings.Join(names, ", ")
		}
		return fmt.Sprintf("unknown parameter %s", name), hint
	case p.Type.acceptsScalar(), in.allowsList && t.onlyPlaceholder() != "" && p.Type.Kind == Array && p.Type.Items.acceptsScalar():
		return "", ""
	case in.allowsList && p.Type.Kind == Array && p.Type.Items.acceptsScalar():
		return fmt.Sprintf("%s is a list, which cannot be embedded in other text", name), "use ${" + name + "} alone: each item becomes one " + in.itemNoun
	}
	return fmt.Sprintf("%s is %s, but only text, a number, true or false fits here", name, p.Type), in.typeHint
}

// acceptsScalar reports whether a value of the type can be text, a number, true or false.
func (t *Type) acceptsScalar() bool {
	switch t.Kind {
	case Object, Record, Struct, Array, Null:
		return false
	case Union:
		return slices.ContainsFunc(t.Options, (*Type).acceptsScalar)
	}
	return true
}

// acceptsAnyText reports whether a placeholder of a template accepts arbitrary text: not a number and not one of
// listed values.
func (d *decoder) acceptsAnyText(t Template) bool {
	return slices.ContainsFunc(t.placeholders(), func(placeholder piece) bool {
		p, ok := d.def.findParam(placeholder.param)
		return ok && p.Type.acceptsAnyText()
	})
}

func (t *Type) acceptsAnyText() bool {
	switch t.Kind {
	case Literal, Number, Integer, Boolean, Null:
		return false
	case Array:
		return t.Items.acceptsAnyText()
	case Union:
		return slices.ContainsFunc(t.Options, (*Type).acceptsAnyText)
	}
	return true
}

func (d *decoder) decodeStdin(v yamldoc.Value, known bool, evaluates *injectionChecker) {
	if !v.IsPresent() {
		return
	}
	if text, _ := v.Text(); text == "json" || text == "context" {
		d.def.Exec.stdinIsArguments, d.def.Exec.stdinIsContext = text == "json", text == "context"
		if text == "context" && !slices.Contains(d.def.Labels, Sink) { // the program gets all that the run has read
			d.def.Labels = append(d.def.Labels, Sink)
		}
		if why := evaluates.checkStdin(); why != "" {
			v.Add(diag.DefProgram, "%s", why).Hint = separateArgumentHint
		}
		return
	}
	t, ok := d.decodeTemplate(v, known, stdinContext)
	if !ok {
		return
	}
	d.def.Exec.stdin = t
	if known {
		d.reportInjection(v, t, evaluates.checkStdin())
	}
}

// decodeEnvNames reads the names of the variables that the program inherits, or gets from the run.
func (d *decoder) decodeEnvNames(v yamldoc.Value) {
	names, _ := v.Texts()
	items, _ := v.List()
	for i, name := range names {
		if name == "" {
			continue // already reported
		}
		why, hint := variableNameError(name)
		switch {
		case why != "":
		case slices.Contains(names[:i], name):
			why = "is listed twice"
		case name == d.def.KeyEnv:
			why, hint = "holds the idempotency key", "idempotent already sets it"
		}
		if why != "" {
			items[i].Add(diag.DefProgram, "%s %s", quote.JSON(name), why).Hint = hint
		}
	}
	for _, name := range names {
		if name == CallIDVariable || name == RunIDVariable {
			d.def.Exec.RunEnv = append(d.def.Exec.RunEnv, name)
		} else {
			d.def.Exec.Env = append(d.def.Exec.Env, name)
		}
	}
}

// variableNameError returns why a program cannot inherit a variable, or "".
func variableNameError(name string) (why, hint string) {
	switch {
	case !isVariableName([]byte(name)):
		return "is not a valid variable name", "list only the name: the value comes from the caller"
	case name == "PATH":
		return "is not taken from the caller", "set programs.path in the policy"
	case subprocess.UnsafeVariable(name):
		return "makes programs load or run other code", "tools cannot pass it to programs"
	}
	return "", ""
}

func (d *decoder) decodeDir(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		d.def.Exec.Dir = "."
		return
	}
	dir := path.Clean(text)
	d.def.Exec.Dir = dir
	if dir == "." && text != "" {
		return
	}
	if t, wrong := ParseTemplate(text); wrong != nil || len(t.placeholders()) > 0 {
		v.Add(diag.DefPlaceholder, "the folder cannot contain a placeholder: a value would choose where the program runs")
		return
	}
	if _, err := fileroot.Clean(strings.TrimSuffix(text, "/")); err != nil {
		v.Add(diag.DefProgram, "expected a folder below the root: %v", err)
		return
	}
	for _, p := range d.def.Signature.Params {
		if d.def.HasFormat(p.Name, "path") {
			v.Add(diag.DefProgram, "%s is a path below the root, but the program would resolve it in another folder", p.Name).Hint = "remove dir"
			return
		}
	}
}

func (d *decoder) decodeOutput(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	if d.def.Exec.Output = Output(text); !slices.Contains(Outputs, d.def.Exec.Output) {
		v.Add(diag.DefValue, "expected %s, got %q", schema.JoinOr(Outputs), text).Hint = schema.DidYouMean(text, []string{"text", "json", "envelope"})
	}
}

func (d *decoder) decodeOKExitCodes(v yamldoc.Value) {
	items, ok := v.List()
	if !ok {
		return
	}
	if len(items) == 0 {
		v.Add(diag.DefValue, "expected at least one exit code")
	}
	d.def.Exec.OK = nil
	for _, item := range items {
		number, ok := item.Number()
		n, err := strconv.Atoi(number.String())
		if ok && (err != nil || n < 0 || n > 255) {
			item.Add(diag.DefValue, "expected an exit code from 0 to 255, got %s", number)
		}
		d.def.Exec.OK = append(d.def.Exec.OK, n)
	}
}
