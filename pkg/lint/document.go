package lint

import (
	"bytes"
	"iter"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// A layout says how many documents a file holds, and how they are written.
type layout int

const (
	single  layout = iota // one, in YAML or JSON
	several               // one or more: in YAML, in JSON, in a list in JSON, or on a line each
	lines                 // one a line, in JSON
)

// A document is one value of a file, as JSON, and where in the file it stands.
type document struct {
	json   []byte
	path   string        // JSON pointer of the value, where it is an item of a list
	offset int           // of json in the file, where that is JSON
	yaml   yamldoc.Value // what path leads into, where the file is YAML
}

// place returns where something in the document stands, to be located. The path of
// the violation is that in the file, and its span that in the JSON of the document.
func (d document) place(v schema.Violation) diag.Span {
	if !d.yaml.Present() {
		return diag.Bytes(d.offset+v.Span.Start, d.offset+v.Span.End)
	}
	at := d.yaml.Find(v.Path)
	if key := at.Key(v.Key); v.AtKey && key.Present() {
		at = key
	}
	return at.Span()
}

// faults places what is wrong with the JSON of the document.
func (d document) faults(faults []diag.Finding) []diag.Finding {
	for i := range faults {
		f := &faults[i]
		f.Path = d.path + f.Path
		f.Span = d.place(schema.Violation{Path: f.Path, Span: f.Span})
	}
	return faults
}

// misfits words how the document does not fit its schema.
func (d document) misfits(violations []schema.Violation) []diag.Finding {
	for i := range violations {
		violations[i].Path = d.path + violations[i].Path
	}
	end := d.place(schema.Violation{Path: d.path, Span: diag.Bytes(len(d.json), len(d.json))})
	return schema.Findings(violations, d.place, end)
}

// yamlCodes are the codes of faults in YAML that a published schema describes. Other
// faults than these are found by the schema.
var yamlCodes = yamldoc.Codes{Syntax: diag.NotYAML, Duplicate: diag.NotYAML, Value: diag.NotYAML}

// read passes on the documents in a file, and returns what is wrong with the file
// besides. The findings of JSON are to be located.
func (l layout) read(name string, src []byte, pass func(document)) []diag.Finding {
	switch {
	case l == lines || l == several && hasLines(src):
		readLines(src, pass)
	case !isJSON(src) || isYAMLName(name):
		return l.readYAML(name, src, pass)
	case l == several && bytes.HasPrefix(bytes.TrimLeft(src, blanks), []byte("[")):
		return readList(src, pass)
	default:
		pass(trimmed(src, 0))
	}
	return nil
}

// blanks are the blanks of JSON.
const blanks = " \t\r\n"

// trimmed returns the document in a part of a text at an offset.
func trimmed(text []byte, offset int) document {
	json := bytes.TrimLeft(text, blanks)
	return document{json: bytes.TrimRight(json, blanks), offset: offset + len(text) - len(json)}
}

// isYAMLName reports whether a file is named as YAML.
func isYAMLName(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}

// isJSON reports whether a text is meant as JSON, and not as YAML.
func isJSON(src []byte) bool {
	src = bytes.TrimLeft(bytes.TrimPrefix(src, []byte(orderMark)), blanks)
	return len(src) > 0 && (src[0] == '{' || src[0] == '[')
}

// hasLines reports whether a text is objects in JSON on a line each. An object that
// ends with its line is followed by another one in no JSON document.
func hasLines(src []byte) bool {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(src, blanks), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && bytes.HasSuffix(bytes.TrimRight(first, blanks), []byte("}")) &&
		bytes.HasPrefix(bytes.TrimLeft(rest, blanks), []byte("{"))
}

// readLines passes on each line that is not blank.
func readLines(src []byte, pass func(document)) {
	offset := 0
	for line := range bytes.Lines(src) {
		if d := trimmed(line, offset); len(d.json) > 0 {
			pass(d)
		}
		offset += len(line)
	}
}

// readList passes on each item of a list.
func readList(src []byte, pass func(document)) []diag.Finding {
	if fault := schema.Strict(src); fault != nil {
		return []diag.Finding{*fault}
	}
	i := 0
	for p := range eachPart(src) {
		pass(document{json: src[p.start:p.end], path: "/" + strconv.Itoa(i), offset: p.start})
		i++
	}
	return nil
}

// readYAML passes on the documents of a text in YAML, and for each list its items
// where there may be several.
func (l layout) readYAML(name string, src []byte, pass func(document)) []diag.Finding {
	file, values := yamldoc.Read(name, src, yamlCodes)
	some := false
	for i, v := range values {
		if i > 0 && l == single {
			file.Add(yamlCodes.Syntax, v.Span(), "a second document, where there may be one")
			break
		}
		if !v.IsNull() {
			some = true
			l.eachYAML(v, pass)
		}
	}
	if !some && len(file.Findings()) == 0 {
		file.Add(yamlCodes.Syntax, file.Start(), "there is nothing in it")
	}
	return file.Findings()
}

// eachYAML passes on one document of a text in YAML.
func (l layout) eachYAML(v yamldoc.Value, pass func(document)) {
	if l == single || !v.IsList() {
		if text, ok := v.JSON(); ok {
			pass(document{json: text, yaml: v})
		}
		return
	}
	items, _ := v.List()
	for i, item := range items {
		if text, ok := item.JSON(); ok {
			pass(document{json: text, path: "/" + strconv.Itoa(i), yaml: v})
		}
	}
}

// A part is a member of an object or an item of a list.
type part struct {
	key        string // of a member
	start, end int    // of the value
}

// parts returns the parts of a list or an object that is strict JSON, with offsets
// into it. Another value has none.
func parts(raw []byte) []part { return slices.Collect(eachPart(raw)) }

// eachPart passes on the parts of a list or an object that is strict JSON.
func eachPart(raw []byte) iter.Seq[part] {
	return func(yield func(part) bool) {
		dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
		open, err := dec.ReadToken()
		if err != nil || open.Kind() != '{' && open.Kind() != '[' {
			return
		}
		for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
			p, err := nextPart(dec, open.Kind() == '{')
			if err != nil || !yield(p) {
				return
			}
		}
	}
}

// nextPart reads the next member or item.
func nextPart(dec *jsontext.Decoder, named bool) (p part, err error) {
	if named {
		name, err := dec.ReadValue()
		if err != nil {
			return p, err
		}
		key, _ := jsontext.AppendUnquote(nil, name) // a name that was just read is valid
		p.key = string(key)
	}
	value, err := dec.ReadValue()
	p.end = int(dec.InputOffset())
	p.start = p.end - len(value)
	return p, err
}
