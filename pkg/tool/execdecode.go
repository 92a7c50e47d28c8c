package tool

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/subprocess"
)

// execKeys are the keys of a program in a definition.
var execKeys = []string{"argv", "stdin", "env", "dir", "output", "ok"}

// program reads the program that does what a definition says. Its holes are held against the
// parameters, if those are known.
func (d *decoder) program(v yamldoc.Value, known bool) {
	m, ok := v.Map(execKeys...)
	if !ok {
		return
	}
	if effect := d.doc.Get("effect"); d.def.Effect != Exec && effect.IsText() {
		effect.Add(diag.DefProgram, "the definition runs a program, so the effect must be exec, is %q", d.def.Effect)
	}
	p := &Program{Output: TextOutput, OK: []int{0}}
	d.def.Exec = p
	p.Raw, _ = v.JSON()
	var evaluates evaluator
	d.argv(m.Need("argv"), known, &evaluates)
	d.stdin(m.Get("stdin"), known, &evaluates)
	d.variables(m.Get("env"))
	d.dir(m.Get("dir"))
	d.output(m.Get("output"))
	d.codes(m.Get("ok"))
}

// argv reads the words of a program.
func (d *decoder) argv(v yamldoc.Value, known bool, evaluates *evaluator) {
	items, ok := v.List()
	if !ok {
		return
	}
	if len(items) == 0 {
		v.Add(diag.DefProgram, "must begin with a program")
		return
	}
	d.def.Exec.Name = d.programName(items[0])
	evaluates.program(d.def.Exec.Name)
	for _, item := range items[1:] {
		elements := []yamldoc.Value{item}
		if item.IsList() {
			if elements, _ = item.List(); len(elements) == 0 {
				item.Add(diag.DefValue, "a group of arguments must not be empty")
			}
		}
		var g group
		for _, e := range elements {
			t, ok := d.template(e, known)
			if ok && known {
				d.evaluated(e, t, evaluates.next(t))
			}
			g = append(g, t)
		}
		d.def.Exec.argv = append(d.def.Exec.argv, g)
	}
}

// hintText says what to do instead of running a value.
const hintText = "give the value as an argument of its own, behind the program text"

// evaluated reports why no value can be in the holes of an element, unless the definition
// lists the values.
func (d *decoder) evaluated(v yamldoc.Value, t Template, why string) {
	if why != "" && d.isOpen(t) {
		v.Add(diag.DefProgram, "%s", why).Hint = hintText
	}
}

// programName reads the first word, which says what is run.
func (d *decoder) programName(v yamldoc.Value) string {
	text, ok := v.Text()
	if !ok {
		return ""
	}
	t, wrong := ParseTemplate(text)
	name := t.fill(func(name string) string { return "${" + name + "}" })
	switch {
	case wrong != nil:
		v.AddAt(diag.DefHole, wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
	case len(t.holes()) > 0:
		v.AddAt(diag.DefHole, t.holes()[0].at, "there can be no hole in the name of the program: a value would say what is run")
	case name == "" || name == "." || name == ".." || name[0] == '-' || strings.IndexByte(name, 0) >= 0:
		v.Add(diag.DefProgram, "%s is no name of a program", quote(name))
	case strings.Contains(name, "/") && (!path.IsAbs(name) || path.Clean(name) != name):
		f := v.Add(diag.DefProgram, "the program must be an absolute path, or a name without a slash, is %s", quote(name))
		f.Hint = "a name is looked up in the path of the policy, never in the working directory"
	}
	return name
}

// template reads an element of argv.
func (d *decoder) template(v yamldoc.Value, known bool) (Template, bool) {
	t, ok := d.holed(v, known, wordSlot)
	if !ok || !known {
		return t, ok
	}
	if option := t.begins(); len(t.holes()) > 0 && option != "" && mayBeOption(t) && d.isOpen(t) {
		v.AddAt(diag.DefHole, t.holes()[0].at, "the value would say which option it is").Hint = "write the option out, or give the parameter an enum"
		return t, false
	}
	return t, true
}

// A slot is a kind of place for text with holes.
type slot struct {
	lists   bool   // a list can stand there, in a hole of its own
	items   string // what its items become
	whole   string // where a value of any type has a place
	secrets bool   // a secret can stand there
}

var (
	wordSlot  = slot{lists: true, items: "an argument", whole: "stdin: json gives the program all arguments"}
	stdinSlot = slot{whole: wordSlot.whole}
)

// holed reads text with holes, each of which has to be for a parameter whose values fit.
func (d *decoder) holed(v yamldoc.Value, known bool, in slot) (Template, bool) {
	text, ok := v.Text()
	if !ok {
		return Template{}, false
	}
	t, wrong := parseTemplate(text, in.secrets)
	switch {
	case wrong != nil:
		v.AddAt(diag.DefHole, wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
		return t, false
	case strings.IndexByte(text, 0) >= 0:
		v.Add(diag.DefValue, "there can be no NUL here")
		return t, false
	}
	for _, hole := range t.holes() {
		if why, hint := d.misfit(t, hole.hole, in); known && why != "" {
			v.AddAt(diag.DefHole, hole.at, "%s", why).Hint = hint
			ok = false
		}
	}
	return t, ok
}

// misfit says why the values of a parameter have no place in a hole, or "".
func (d *decoder) misfit(t Template, name string, in slot) (why, hint string) {
	p, ok := d.def.param(name)
	names := d.def.ParameterNames()
	switch {
	case !ok && len(names) == 0:
		return fmt.Sprintf("there is no parameter %s, and no other", name), "write $${ for ${ itself"
	case !ok:
		if hint = schema.Meant(name, names); hint == "" {
			hint = "there are " + strings.Join(names, ", ")
		}
		return fmt.Sprintf("there is no parameter %s", name), hint
	case p.Type.isText(), in.lists && t.alone() != "" && p.Type.Kind == Array && p.Type.Items.isText():
		return "", ""
	case in.lists && p.Type.Kind == Array && p.Type.Items.isText():
		return fmt.Sprintf("%s is a list, which has no place among other text", name), "what is only ${" + name + "} is " + in.items + " for each item"
	}
	return fmt.Sprintf("%s is %s, and only text, a number, true or false has a place here", name, p.Type), in.whole
}

// isText reports whether a value of the type can be text, a number, true or false.
func (t *Type) isText() bool {
	switch t.Kind {
	case Object, Record, Struct, Array, Null:
		return false
	case Union:
		return slices.ContainsFunc(t.Options, (*Type).isText)
	}
	return true
}

// isOpen reports whether anything could stand in a hole of a template: the definition does not
// list the values, and they are no numbers.
func (d *decoder) isOpen(t Template) bool {
	return slices.ContainsFunc(t.holes(), func(hole piece) bool {
		p, ok := d.def.param(hole.hole)
		return ok && p.Type.isOpen()
	})
}

func (t *Type) isOpen() bool {
	switch t.Kind {
	case Literal, Number, Integer, Boolean, Null:
		return false
	case Array:
		return t.Items.isOpen()
	case Union:
		return slices.ContainsFunc(t.Options, (*Type).isOpen)
	}
	return true
}

// stdin reads what the program reads.
func (d *decoder) stdin(v yamldoc.Value, known bool, evaluates *evaluator) {
	if !v.Present() {
		return
	}
	if text, _ := v.Text(); text == "json" {
		d.def.Exec.whole = true
		if why := evaluates.stdin(); why != "" {
			v.Add(diag.DefProgram, "%s", why).Hint = hintText
		}
		return
	}
	t, ok := d.holed(v, known, stdinSlot)
	if !ok {
		return
	}
	d.def.Exec.stdin = t
	if known {
		d.evaluated(v, t, evaluates.stdin())
	}
}

// variables reads the names of the variables that the program gets.
func (d *decoder) variables(v yamldoc.Value) {
	names, _ := v.Texts()
	items, _ := v.List()
	for i, name := range names {
		if name == "" {
			continue // it has been said
		}
		why, hint := unfit(name)
		switch {
		case why != "":
		case slices.Contains(names[:i], name):
			why = "stands twice"
		case name == d.def.KeyEnv:
			why, hint = "holds the key of the call", "idempotent names it"
		}
		if why != "" {
			items[i].Add(diag.DefProgram, "%s %s", quote(name), why).Hint = hint
		}
	}
	d.def.Exec.Env = names
}

// unfit says why no program gets a variable of this name, or "".
func unfit(name string) (why, hint string) {
	switch {
	case !isVariable([]byte(name)):
		return "is no name of a variable", "only the name stands there: the value is that of the caller"
	case name == "PATH":
		return "is not that of the caller", "the policy says where programs are looked up: programs.path"
	case subprocess.UnsafeVariable(name):
		return "makes programs load or run something else", "no program gets it from a tool"
	}
	return "", ""
}

// dir reads where the program runs.
func (d *decoder) dir(v yamldoc.Value) {
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
	if t, wrong := ParseTemplate(text); wrong != nil || len(t.holes()) > 0 {
		v.Add(diag.DefHole, "there can be no hole in the folder: a value would say where the program runs")
		return
	}
	if _, err := fileroot.Clean(strings.TrimSuffix(text, "/")); err != nil {
		v.Add(diag.DefProgram, "must be a folder below the root: %v", err)
		return
	}
	for _, p := range d.def.Signature.Params {
		if d.def.isPath(p.Name) {
			v.Add(diag.DefProgram, "%s is a path below the root, and the program would take it from another folder", p.Name).Hint = "leave dir out"
			return
		}
	}
}

// output reads how the result is read.
func (d *decoder) output(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	if d.def.Exec.Output = Output(text); !slices.Contains(Outputs, d.def.Exec.Output) {
		v.Add(diag.DefValue, "must be %s, is %q", schema.Either(Outputs), text).Hint = schema.Meant(text, []string{"text", "json", "envelope"})
	}
}

// codes reads the exit codes that are a success.
func (d *decoder) codes(v yamldoc.Value) {
	items, ok := v.List()
	if !ok {
		return
	}
	if len(items) == 0 {
		v.Add(diag.DefValue, "must have at least one exit code")
	}
	d.def.Exec.OK = nil
	for _, item := range items {
		number, ok := item.Number()
		n, err := strconv.Atoi(number.String())
		if ok && (err != nil || n < 0 || n > 255) {
			item.Add(diag.DefValue, "must be an exit code, from 0 to 255, is %s", number)
		}
		d.def.Exec.OK = append(d.def.Exec.OK, n)
	}
}
