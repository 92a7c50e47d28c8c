package lint

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// KindOf tells the kind of a file from its content, however broken that is: it is
// the one whose schema knows most of the keys at the top, where enough speaks for it.
// A file that could as well be another program's is [Unknown], and likely are then the
// kinds that it may be meant as: an answer can look like anything.
func KindOf(src []byte) (kind Kind, likely []Kind) {
	src = bytes.TrimPrefix(src, []byte(orderMark))
	if isJSON(src) && IsRun(src) {
		return RunFile, nil
	}
	t := traitsOf(src)
	switch {
	case t.foreign:
		return Unknown, nil
	case t.event:
		return Events, nil
	case t.schema:
		return Schema, nil
	}
	return t.kind()
}

// untold returns the finding about a file that cannot be told. What is wrong with the YAML
// of a file that is named as such comes first.
func untold(name string, src []byte) []diag.Finding {
	if faults := yamlFaults(name, src); len(faults) > 0 {
		return faults
	}
	_, likely := KindOf(src)
	f := diag.New(diag.UnknownKind, diag.Span{}, "cannot tell what it is")
	switch {
	case blank(src):
		f.Message += ": it is empty"
	case schema.EncodingHint(src) != "":
		f.Hint = schema.EncodingHint(src)
	case begunJSON(src) != nil:
		fault := begunJSON(src)
		f.Message += "; it is no sound JSON: " + fault.Message
		f.Span, f.Hint = fault.Span, "say it with --as, when that is mended"
	case len(likely) > 0:
		f.Hint = "--as " + schema.Either(likely) + ", if it is meant as that"
	default:
		f.Hint = "say it with --as " + schema.Either(Kinds)
	}
	return []diag.Finding{f}
}

// yamlFaults returns what is wrong with the YAML of a file that is named as such.
func yamlFaults(name string, src []byte) []diag.Finding {
	if !isYAMLName(name) || blank(src) {
		return nil
	}
	doc, _ := yamldoc.Read(name, src, yamlCodes)
	return doc.Findings()
}

// IsBrokenYAML reports whether a file is named as YAML and is none.
func IsBrokenYAML(name string, src []byte) bool { return len(yamlFaults(name, src)) > 0 }

// begunJSON returns what is wrong with a text that can be meant as nothing but one value of
// JSON, nil if nothing is.
func begunJSON(src []byte) *diag.Finding {
	begin := bytes.Map(func(r rune) rune {
		if strings.ContainsRune(blanks, r) {
			return -1
		}
		return r
	}, src[:min(len(src), 200)])
	if !bytes.HasPrefix(begin, []byte(`{"`)) && !bytes.HasPrefix(begin, []byte(`[{"`)) || hasLines(src) {
		return nil
	}
	return schema.Strict(bytes.TrimRight(src, blanks))
}

// A support is how much speaks for a form.
type support struct {
	form    form
	known   int // keys that its schema knows, or that are near one
	telling int // those of them that say something where they stand alone
	all     bool
}

// kind returns the kind that most speaks for, if enough does.
func (t *traits) kind() (kind Kind, likely []Kind) {
	var ranked []support
	for _, f := range forms {
		if s := t.supportOf(f); s.known > 0 {
			ranked = append(ranked, s)
		}
	}
	slices.SortStableFunc(ranked, func(a, b support) int { return cmp.Compare(b.known, a.known) })
	total := len(t.keys) + t.loose
	for _, s := range ranked {
		if s.suffices(total) {
			return s.form.kind, nil
		}
		if 2*s.known > total {
			likely = append(likely, s.form.kind)
		}
	}
	return Unknown, likely
}

// suffices reports whether that much support among that many keys tells a form.
func (s support) suffices(total int) bool {
	switch {
	case s.telling >= 3:
		return 3*s.known >= total
	case s.telling > 0:
		return s.known >= 2 && 2*s.known >= total
	}
	return s.all && 3*s.known >= 2*total
}

// supportOf returns how much speaks for a form.
func (t *traits) supportOf(f form) support {
	known := f.keys()
	s := support{form: f, all: len(f.enough) > 0}
	for key := range t.keys {
		if !slices.Contains(known, key) {
			if key = near(key, known); key == "" {
				continue
			}
		}
		s.known++
		if !slices.Contains(plainKeys, key) {
			s.telling++
		}
	}
	for _, key := range f.enough {
		s.all = s.all && t.keys[key]
	}
	return s
}

// near returns the key of some that a misspelt one was meant as, or "". Short keys are
// near too many.
func near(key string, known []string) string {
	const shortest = 6
	if len(key) < shortest {
		return ""
	}
	return schema.Nearest(key, known)
}

// keys returns the keys at the top of a document that its schema knows.
func (f form) keys() []string {
	text, _ := schema.Text(f.schema)
	keys := slices.Clone(f.more)
	eachMember(gjson.GetBytes(text, "properties"), func(key string, _ gjson.Result) { keys = append(keys, key) })
	return keys
}
