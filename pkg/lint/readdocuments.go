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

// A layout is the number of documents that a file can hold and the way in which they are separated.
type layout int

const (
	singleDocument layout = iota // one, in YAML or JSON
	manyDocuments                // one or more: YAML documents, a JSON value, a JSON list, or JSON Lines
	jsonLines                    // JSON Lines
)

// A document is one value of a file, as JSON, with its location in the file.
type document struct {
	json   []byte
	path   string        // JSON pointer of the value if it is a list item
	offset int           // of json in a JSON file
	yaml   yamldoc.Value // the root for path in a YAML file
}

// violationSpan returns the span of a violation in the file, still without lines and columns. The
// violation's path is relative to the file, its span to the document's JSON.
func (d document) violationSpan(v schema.Violation) diag.Span {
	if !d.yaml.IsPresent() {
		return diag.Bytes(d.offset+v.Span.Start, d.offset+v.Span.End)
	}
	at := d.yaml.Find(v.Path)
	if key := at.Key(v.Key); v.AtKey && key.IsPresent() {
		at = key
	}
	return at.Span()
}

// locateFaults makes findings about the document's JSON relative to the file.
func (d document) locateFaults(faults []diag.Finding) []diag.Finding {
	for i := range faults {
		f := &faults[i]
		f.Path = d.path + f.Path
		f.Span = d.violationSpan(schema.Violation{Path: f.Path, Span: f.Span})
	}
	return faults
}

// violationFindings returns a finding for each violation of the document's schema.
func (d document) violationFindings(violations []schema.Violation) []diag.Finding {
	for i := range violations {
		violations[i].Path = d.path + violations[i].Path
	}
	end := d.violationSpan(schema.Violation{Path: d.path, Span: diag.Bytes(len(d.json), len(d.json))})
	return schema.Findings(violations, d.violationSpan, end)
}

// yamlCodes are the codes for YAML faults in files that have a published schema. The schema finds
// all other faults.
var yamlCodes = yamldoc.Codes{Syntax: diag.NotYAML, Duplicate: diag.NotYAML, Value: diag.NotYAML}

// readDocuments yields the documents of a file and returns findings about the file itself. The
// findings of JSON have no lines and columns yet.
func (l layout) readDocuments(name string, src []byte, pass func(document)) []diag.Finding {
	switch {
	case l == jsonLines || l == manyDocuments && hasObjectLines(src):
		readLines(src, pass)
	case !isLikelyJSON(src) || isYAMLName(name):
		return l.readYAML(name, src, pass)
	case l == manyDocuments && bytes.HasPrefix(bytes.TrimLeft(src, blanks), []byte("[")):
		return readList(src, pass)
	default:
		pass(trimDocument(src, 0))
	}
	return nil
}

// blanks are the white space characters of JSON.
const blanks = " \t\r\n"

// trimDocument returns the document in a part of a text at an offset, without surrounding white
// space.
func trimDocument(text []byte, offset int) document {
	json := bytes.TrimLeft(text, blanks)
	return document{json: bytes.TrimRight(json, blanks), offset: offset + len(text) - len(json)}
}

// isYAMLName reports whether a file name has a YAML extension.
func isYAMLName(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}

// isLikelyJSON reports whether a text looks like JSON rather than YAML.
func isLikelyJSON(src []byte) bool {
	src = bytes.TrimLeft(bytes.TrimPrefix(src, []byte(byteOrderMark)), blanks)
	return len(src) > 0 && (src[0] == '{' || src[0] == '[')
}

// hasObjectLines reports whether a text is JSON Lines of objects. In a single JSON document, no
// object that ends with its line is followed by another one.
func hasObjectLines(src []byte) bool {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(src, blanks), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && bytes.HasSuffix(bytes.TrimRight(first, blanks), []byte("}")) &&
		bytes.HasPrefix(bytes.TrimLeft(rest, blanks), []byte("{"))
}

// readLines yields each line that is not blank.
func readLines(src []byte, pass func(document)) {
	offset := 0
	for line := range bytes.Lines(src) {
		if d := trimDocument(line, offset); len(d.json) > 0 {
			pass(d)
		}
		offset += len(line)
	}
}

// readList yields each item of a list.
func readList(src []byte, pass func(document)) []diag.Finding {
	if fault := schema.CheckStrict(src); fault != nil {
		return []diag.Finding{*fault}
	}
	i := 0
	for p := range allElements(src) {
		pass(document{json: src[p.start:p.end], path: "/" + strconv.Itoa(i), offset: p.start})
		i++
	}
	return nil
}

// readYAML yields the documents of a YAML text, or the items of each list if the layout allows
// several documents.
func (l layout) readYAML(name string, src []byte, pass func(document)) []diag.Finding {
	file, values := yamldoc.Read(name, src, yamlCodes)
	some := false
	for i, v := range values {
		if i > 0 && l == singleDocument {
			file.Add(yamlCodes.Syntax, v.Span(), "unexpected second document")
			break
		}
		if !v.IsNull() {
			some = true
			l.yieldYAML(v, pass)
		}
	}
	if !some && len(file.Findings()) == 0 {
		file.Add(yamlCodes.Syntax, file.Start(), "the file is empty")
	}
	return file.Findings()
}

func (l layout) yieldYAML(v yamldoc.Value, pass func(document)) {
	if l == singleDocument || !v.IsList() {
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

// An element is an object member or a list item.
type element struct {
	key        string // of a member
	start, end int    // of the value
}

// elements returns the elements of a strict JSON list or object, with offsets into it. Other values
// have none.
func elements(raw []byte) []element { return slices.Collect(allElements(raw)) }

// allElements iterates over the elements of a strict JSON list or object.
func allElements(raw []byte) iter.Seq[element] {
	return func(yield func(element) bool) {
		dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
		open, err := dec.ReadToken()
		if err != nil || open.Kind() != '{' && open.Kind() != '[' {
			return
		}
		for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
			p, err := nextElement(dec, open.Kind() == '{')
			if err != nil || !yield(p) {
				return
			}
		}
	}
}

func nextElement(dec *jsontext.Decoder, named bool) (p element, err error) {
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
