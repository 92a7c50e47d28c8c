package lint

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// Missing is what records of calls in the form v1 do not say, and the form v2 has.
type Missing struct {
	ToolName string // "": not known
	TopK     int    // 0: not known
}

// maxDoubts bounds how much is said about one record.
const maxDoubts = 20

// v1Types are the tool types of what v1 has as name, in lower case.
var v1Types = map[string]string{
	"retrieval":                 "vectorSearch",
	"retrieval with re-ranking": "vectorSearchWithReranking",
	"retrieval with reranking":  "vectorSearchWithReranking",
}

// A v1Record is a record of a call in the form v1:
//
//	{"name", "query", "results": [{"chunk_id", "score", "content", "metadata"}], "namespace", "index"}
//
// In the form v2 name has become toolType, query stands in input, the rest in
// output, chunk_id is id, and content stands in metadata alone.
type v1Record struct {
	document
	at    place  // in the JSON of the document
	parts []part // with offsets in the JSON of the document
	doubt []diag.Finding
}

// v1Records returns the records in the form v1 in a document that is strict JSON:
// it is one itself, or its toolCalls hold some.
func (d document) v1Records() []v1Record {
	if r, ok := d.v1Record(place{0, len(d.json), ""}); ok {
		return []v1Record{r}
	}
	var out []v1Record
	if i := keyed(parts(d.json), "toolCalls"); i >= 0 {
		list := parts(d.json)[i]
		for i, p := range parts(d.json[list.start:list.end]) {
			at := place{list.start + p.start, list.start + p.end, "/toolCalls/" + strconv.Itoa(i)}
			if r, ok := d.v1Record(at); ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// v1Record returns the value at a place if it is a record in the form v1.
func (d document) v1Record(at place) (v1Record, bool) {
	r := v1Record{document: d, at: at, parts: d.within(at)}
	results := keyed(r.parts, "results")
	other := slices.ContainsFunc(r.parts, func(p part) bool {
		return slices.Contains([]string{"toolType", "toolName", "input", "output"}, p.key)
	})
	return r, !other && results >= 0 && d.json[r.parts[results].start] == '[' &&
		(keyed(r.parts, "query") >= 0 || keyed(r.parts, "name") >= 0)
}

// within returns the parts of the value at a place, with offsets in the document.
func (d document) within(at place) []part {
	out := parts(d.json[at.start:at.end])
	for i := range out {
		out[i].start += at.start
		out[i].end += at.start
	}
	return out
}

// keyed returns the index of the member with that key, or -1.
func keyed(parts []part, key string) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.key == key })
}

// findings reports the record, with a fix if all is known that the form v2 has.
func (r *v1Record) findings(missing Missing) []diag.Finding {
	text := r.v2(missing)
	f := r.finding(diag.OldRecord, r.at, "a record of a call in the form v1")
	switch {
	case r.yaml.Present():
		f.Hint = "in JSON it can be rewritten with --fix"
	case len(r.doubt) == 0:
		f.Fixes = []diag.Fix{{Title: "rewrite it in the form v2", Kind: diag.Safe,
			Edits: []diag.Edit{{Start: r.offset + r.at.start, End: r.offset + r.at.end, New: text}}}}
	}
	return append([]diag.Finding{f}, r.doubt...)
}

// finding returns a finding about a place in the document.
func (d document) finding(code diag.Code, at place, format string, args ...any) diag.Finding {
	path := d.path + at.path
	span := d.place(schema.Violation{Path: path, Span: diag.Bytes(at.start, at.end)})
	f := diag.New(code, span, format, args...)
	f.Path = path
	if f.Path != "" {
		f.Message = f.Path + ": " + f.Message
	}
	return f
}

// open says why the record cannot be rewritten.
func (r *v1Record) open(at place, hint, format string, args ...any) {
	switch {
	case len(r.doubt) > maxDoubts:
		return
	case len(r.doubt) == maxDoubts:
		at, hint, format, args = r.at, "", "there is more that has no place in the form v2", nil
	}
	f := r.finding(diag.OpenRecord, at, format, args...)
	f.Hint = hint
	r.doubt = append(r.doubt, f)
}

// of returns the place of a member of what stands at a path.
func (p part) of(path string) place {
	return place{p.start, p.end, string(jsontext.Pointer(path).AppendToken(p.key))}
}

// v2 returns the record in the form v2, as far as all is known of it.
func (r *v1Record) v2(missing Missing) string {
	kind, query := "", ""
	var output []string
	for _, p := range r.parts {
		switch p.key {
		case "name":
			kind = r.toolType(p)
		case "query":
			query = r.raw(p)
		case "results":
			output = append(output, r.member("results", r.results(p)))
		case "namespace", "index":
			output = append(output, r.member(p.key, r.raw(p)))
		default:
			r.open(p.of(r.at.path), "", "this key has no place in the form v2")
		}
	}
	r.known(missing)
	text := r.object(
		r.member("toolType", string(quoted(kind))),
		r.member("toolName", string(quoted(missing.ToolName))),
		r.member("input", r.object(r.member("query", query), r.member("topK", strconv.Itoa(missing.TopK)))),
		r.member("output", r.object(output...)),
	)
	return laidOut(text, r.json[r.at.start:r.at.end])
}

// known says what of the form v2 is not known.
func (r *v1Record) known(missing Missing) {
	if missing.ToolName == "" {
		r.open(r.at, "say it with --tool-name NAME", "its toolName is not known")
	}
	if missing.TopK == 0 {
		r.open(r.at, "say it with --top-k N", "its topK is not known")
	}
	for _, key := range []string{"name", "query"} {
		if keyed(r.parts, key) < 0 {
			r.open(r.at, "", "the key %q is missing", key)
		}
	}
}

// toolType returns what the name of a record says about the kind of its tool.
func (r *v1Record) toolType(name part) string {
	text := gjson.Parse(r.raw(name)).String()
	kind := v1Types[strings.ToLower(text)]
	if kind == "" {
		r.open(name.of(r.at.path), "known are retrieval and retrieval with re-ranking", "no toolType follows from this name")
	}
	return kind
}

// results rewrites the results of a record.
func (r *v1Record) results(list part) string {
	var items []string
	at := list.of(r.at.path)
	for i, p := range r.within(at) {
		p.key = strconv.Itoa(i)
		items = append(items, r.result(p.of(at.path)))
	}
	return "[" + strings.Join(items, r.comma()) + "]"
}

// result rewrites one result. What is no object stays as it is.
func (r *v1Record) result(at place) string {
	members := r.within(at)
	if r.json[at.start] != '{' {
		return string(r.json[at.start:at.end])
	}
	content, metadata := keyed(members, "content"), keyed(members, "metadata")
	var out []string
	for _, p := range members {
		switch {
		case p.key == "chunk_id" && keyed(members, "id") >= 0:
			r.open(p.of(at.path), "", "there is an id, too")
		case p.key == "chunk_id":
			out = append(out, r.member("id", r.raw(p)))
		case p.key == "metadata" && content >= 0:
			out = append(out, r.member("metadata", r.merged(p, members[content], at.path)))
		case p.key == "content" && metadata < 0:
			out = append(out, r.member("metadata", r.object(r.member("content", r.raw(p)))))
		case p.key == "content":
		case p.key == "id", p.key == "score", p.key == "metadata":
			out = append(out, r.member(p.key, r.raw(p)))
		default:
			r.open(p.of(at.path), "", "this key has no place in the form v2")
		}
	}
	return r.object(out...)
}

// merged returns the metadata of a result with its content in it.
func (r *v1Record) merged(metadata, content part, path string) string {
	if r.json[metadata.start] != '{' {
		r.open(metadata.of(path), "", "must be an object, to hold the content")
		return ""
	}
	members := r.within(metadata.of(path))
	i := keyed(members, "content")
	switch {
	case i >= 0 && !r.same(members[i], content):
		r.open(content.of(path), "", "is not the same as the content in metadata")
	case i >= 0:
		return r.raw(metadata)
	case len(members) == 0:
		return r.object(r.member("content", r.raw(content)))
	}
	last := r.json[metadata.start:members[len(members)-1].end]
	return string(last) + r.comma() + r.member("content", r.raw(content)) + "}"
}

// same reports whether two values are equal.
func (r *v1Record) same(a, b part) bool {
	x, _ := canonical(r.json[a.start:a.end]) // they are strict JSON
	y, _ := canonical(r.json[b.start:b.end])
	return bytes.Equal(x, y)
}

// raw returns the text of a value.
func (r *v1Record) raw(p part) string { return string(r.json[p.start:p.end]) }

// object returns an object with those members.
func (r *v1Record) object(members ...string) string {
	return "{" + strings.Join(members, r.comma()) + "}"
}

// member returns a member, with a blank behind the colon where the record has one.
func (r *v1Record) member(key, value string) string {
	if r.blanks() {
		return string(quoted(key)) + ": " + value
	}
	return string(quoted(key)) + ":" + value
}

// comma returns what stands between two members.
func (r *v1Record) comma() string {
	if r.blanks() {
		return ", "
	}
	return ","
}

func (r *v1Record) blanks() bool { return r.json[r.parts[0].start-1] == ' ' }

// laidOut indents a value as another one is that has its closing bracket on a line
// of its own. Another layout is left as it is.
func laidOut(text string, like []byte) string {
	lines := bytes.Split(like, []byte("\n"))
	if len(lines) < 3 {
		return text
	}
	indent := func(line []byte) string { return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]) }
	prefix := indent(lines[len(lines)-1])
	unit, deeper := strings.CutPrefix(indent(lines[1]), prefix)
	v := jsontext.Value(text)
	if !deeper || len(prefix) != len(lines[len(lines)-1])-1 || v.Indent(jsontext.WithIndentPrefix(prefix), jsontext.WithIndent(unit)) != nil {
		return text
	}
	if bytes.HasSuffix(lines[0], []byte("\r")) {
		return strings.ReplaceAll(string(v), "\n", "\r\n")
	}
	return string(v)
}
