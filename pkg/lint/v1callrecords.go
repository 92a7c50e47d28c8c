package lint

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
)

// V1Defaults supplies the values that v2 call records require and v1 records lack.
type V1Defaults struct {
	ToolName string // "": unknown
	TopK     int    // 0: unknown
}

// maxProblems bounds the findings about one record.
const maxProblems = 20

// v1Types maps v1 names, in lower case, to v2 tool types.
var v1Types = map[string]string{
	"retrieval":                 "vectorSearch",
	"retrieval with re-ranking": "vectorSearchWithReranking",
	"retrieval with reranking":  "vectorSearchWithReranking",
}

// A v1Record is a call record in v1 format:
//
//	{"name", "query", "results": [{"chunk_id", "score", "content", "metadata"}], "namespace", "index"}
//
// In v2, name becomes toolType, query moves to input and the rest to output, chunk_id
// becomes id, and content is in metadata only.
type v1Record struct {
	document
	at       location  // in the document's JSON
	members  []element // with offsets in the document's JSON
	problems []diag.Finding
}

// v1Records returns the v1 records in a document that is strict JSON: itself, or those in its
// toolCalls.
func (d document) v1Records() []v1Record {
	if r, ok := d.v1Record(location{0, len(d.json), ""}); ok {
		return []v1Record{r}
	}
	var out []v1Record
	if i := memberIndex(elements(d.json), "toolCalls"); i >= 0 {
		list := elements(d.json)[i]
		for i, p := range elements(d.json[list.start:list.end]) {
			at := location{list.start + p.start, list.start + p.end, "/toolCalls/" + strconv.Itoa(i)}
			if r, ok := d.v1Record(at); ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// v1Record returns the value at a location if it is a v1 record.
func (d document) v1Record(at location) (v1Record, bool) {
	r := v1Record{document: d, at: at, members: d.elementsAt(at)}
	results := memberIndex(r.members, "results")
	other := slices.ContainsFunc(r.members, func(p element) bool {
		return slices.Contains([]string{"toolType", "toolName", "input", "output"}, p.key)
	})
	return r, !other && results >= 0 && d.json[r.members[results].start] == '[' &&
		(memberIndex(r.members, "query") >= 0 || memberIndex(r.members, "name") >= 0)
}

// elementsAt returns the elements of the value at a location, with offsets in the document.
func (d document) elementsAt(at location) []element {
	out := elements(d.json[at.start:at.end])
	for i := range out {
		out[i].start += at.start
		out[i].end += at.start
	}
	return out
}

// memberIndex returns the index of the member with a key, or -1.
func memberIndex(parts []element, key string) int {
	return slices.IndexFunc(parts, func(p element) bool { return p.key == key })
}

// findings reports the record, with a fix if every value that v2 needs is known.
func (r *v1Record) findings(missing V1Defaults) []diag.Finding {
	text := r.toV2(missing)
	f := r.finding(diag.V1CallRecord, r.at, "call record in v1 format")
	switch {
	case r.yaml.IsPresent():
		f.Hint = "--fix converts records in JSON files"
	case len(r.problems) == 0:
		f.Fixes = []diag.Fix{{Title: "convert it to v2", Kind: diag.Safe,
			Edits: []diag.Edit{{Start: r.offset + r.at.start, End: r.offset + r.at.end, New: text}}}}
	}
	return append([]diag.Finding{f}, r.problems...)
}

// finding returns a finding at a location in the document.
func (d document) finding(code diag.Code, at location, format string, args ...any) diag.Finding {
	path := d.path + at.path
	span := d.violationSpan(schema.Violation{Path: path, Span: diag.Bytes(at.start, at.end)})
	f := diag.New(code, span, format, args...)
	f.Path = path
	if f.Path != "" {
		f.Message = f.Path + ": " + f.Message
	}
	return f
}

// reportProblem adds a reason why the record cannot be converted.
func (r *v1Record) reportProblem(at location, hint, format string, args ...any) {
	switch {
	case len(r.problems) > maxProblems:
		return
	case len(r.problems) == maxProblems:
		at, hint, format, args = r.at, "", "further problems are not listed", nil
	}
	f := r.finding(diag.V1Unconvertible, at, format, args...)
	f.Hint = hint
	r.problems = append(r.problems, f)
}

// memberLocation returns the location of a member of the value at a path.
func (p element) memberLocation(path string) location {
	return location{p.start, p.end, string(jsontext.Pointer(path).AppendToken(p.key))}
}

// toV2 returns the record in v2 format, complete only if it reports no problem.
func (r *v1Record) toV2(missing V1Defaults) string {
	kind, query := "", ""
	var output []string
	for _, p := range r.members {
		switch p.key {
		case "name":
			kind = r.toolType(p)
		case "query":
			query = r.raw(p)
		case "results":
			output = append(output, r.formatMember("results", r.convertResults(p)))
		case "namespace", "index":
			output = append(output, r.formatMember(p.key, r.raw(p)))
		default:
			r.reportProblem(p.memberLocation(r.at.path), "", "v2 has no such key")
		}
	}
	r.reportMissing(missing)
	text := r.objectFromMembers(
		r.formatMember("toolType", quote.JSON(kind)),
		r.formatMember("toolName", quote.JSON(missing.ToolName)),
		r.formatMember("input", r.objectFromMembers(r.formatMember("query", query), r.formatMember("topK", strconv.Itoa(missing.TopK)))),
		r.formatMember("output", r.objectFromMembers(output...)),
	)
	return indentLike(text, r.json[r.at.start:r.at.end])
}

// reportMissing reports the required v2 values that are unknown.
func (r *v1Record) reportMissing(missing V1Defaults) {
	if missing.ToolName == "" {
		r.reportProblem(r.at, "pass --tool-name NAME", "toolName is unknown")
	}
	if missing.TopK == 0 {
		r.reportProblem(r.at, "pass --top-k N", "topK is unknown")
	}
	for _, key := range []string{"name", "query"} {
		if memberIndex(r.members, key) < 0 {
			r.reportProblem(r.at, "", "missing key %q", key)
		}
	}
}

// toolType returns the tool type for a record's name.
func (r *v1Record) toolType(name element) string {
	text := gjson.Parse(r.raw(name)).String()
	kind := v1Types[strings.ToLower(text)]
	if kind == "" {
		r.reportProblem(name.memberLocation(r.at.path), "known names are retrieval and retrieval with re-ranking", "no known toolType for this name")
	}
	return kind
}

func (r *v1Record) convertResults(list element) string {
	var items []string
	at := list.memberLocation(r.at.path)
	for i, p := range r.elementsAt(at) {
		p.key = strconv.Itoa(i)
		items = append(items, r.convertSearchResult(p.memberLocation(at.path)))
	}
	return "[" + strings.Join(items, r.memberSeparator()) + "]"
}

// convertSearchResult converts one result. A value that is not an object stays unchanged.
func (r *v1Record) convertSearchResult(at location) string {
	members := r.elementsAt(at)
	if r.json[at.start] != '{' {
		return string(r.json[at.start:at.end])
	}
	content, metadata := memberIndex(members, "content"), memberIndex(members, "metadata")
	var out []string
	for _, p := range members {
		switch {
		case p.key == "chunk_id" && memberIndex(members, "id") >= 0:
			r.reportProblem(p.memberLocation(at.path), "", "conflicts with id")
		case p.key == "chunk_id":
			out = append(out, r.formatMember("id", r.raw(p)))
		case p.key == "metadata" && content >= 0:
			out = append(out, r.formatMember("metadata", r.metadataWithContent(p, members[content], at.path)))
		case p.key == "content" && metadata < 0:
			out = append(out, r.formatMember("metadata", r.objectFromMembers(r.formatMember("content", r.raw(p)))))
		case p.key == "content":
		case p.key == "id", p.key == "score", p.key == "metadata":
			out = append(out, r.formatMember(p.key, r.raw(p)))
		default:
			r.reportProblem(p.memberLocation(at.path), "", "v2 has no such key")
		}
	}
	return r.objectFromMembers(out...)
}

// metadataWithContent returns a result's metadata with its content added.
func (r *v1Record) metadataWithContent(metadata, content element, path string) string {
	if r.json[metadata.start] != '{' {
		r.reportProblem(metadata.memberLocation(path), "", "must be an object, to hold the content")
		return ""
	}
	members := r.elementsAt(metadata.memberLocation(path))
	i := memberIndex(members, "content")
	switch {
	case i >= 0 && !r.isEqual(members[i], content):
		r.reportProblem(content.memberLocation(path), "", "differs from the content in metadata")
	case i >= 0:
		return r.raw(metadata)
	case len(members) == 0:
		return r.objectFromMembers(r.formatMember("content", r.raw(content)))
	}
	last := r.json[metadata.start:members[len(members)-1].end]
	return string(last) + r.memberSeparator() + r.formatMember("content", r.raw(content)) + "}"
}

// isEqual reports whether two values are equal.
func (r *v1Record) isEqual(a, b element) bool {
	x, _ := canonicalJSON(r.json[a.start:a.end]) // strict JSON always has a canonical form
	y, _ := canonicalJSON(r.json[b.start:b.end])
	return bytes.Equal(x, y)
}

func (r *v1Record) raw(p element) string { return string(r.json[p.start:p.end]) }

func (r *v1Record) objectFromMembers(members ...string) string {
	return "{" + strings.Join(members, r.memberSeparator()) + "}"
}

// formatMember returns a member, with a space after the colon if the record has one.
func (r *v1Record) formatMember(key, value string) string {
	if r.hasSpaces() {
		return quote.JSON(key) + ": " + value
	}
	return quote.JSON(key) + ":" + value
}

// memberSeparator returns the separator of two members.
func (r *v1Record) memberSeparator() string {
	if r.hasSpaces() {
		return ", "
	}
	return ","
}

func (r *v1Record) hasSpaces() bool { return r.json[r.members[0].start-1] == ' ' }

// indentLike indents a value like another one that has its closing bracket on its own line. Other
// layouts stay on one line.
func indentLike(text string, like []byte) string {
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
