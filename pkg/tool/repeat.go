package tool

import (
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// repetition reads whether a call may be made again when nobody knows whether it took effect:
// true, false, or {key: env NAME}, where the program gets a key of the call.
func (d *decoder) repetition() {
	v := d.doc.Get("idempotent")
	if !v.IsMap() {
		d.def.Idempotent, _ = v.Bool()
		return
	}
	m, ok := v.Map("key")
	if !ok {
		return
	}
	key := m.Need("key")
	text, ok := key.Text()
	if !ok {
		return
	}
	switch where, name, _ := strings.Cut(text, " "); {
	case where != "env" || name == "":
		key.Add(diag.DefValue, "must be env NAME, is %q", text).Hint = "the program gets the key in the variable of that name"
	case !d.doc.Get("exec").Present():
		key.Add(diag.DefValue, "no program is run that could get the key").Hint = "say true or false"
	default:
		d.keyVariable(key, name)
	}
}

// keyVariable reads the name of the variable.
func (d *decoder) keyVariable(v yamldoc.Value, name string) {
	if why, hint := unfit(name); why != "" {
		v.Add(diag.DefProgram, "%s %s", quote(name), why).Hint = hint
		return
	}
	d.def.KeyEnv = name
}
