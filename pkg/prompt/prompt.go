// Package prompt renders the messages to a model: the system prompt with its
// tools, the user message, results, reminders and the request for the answer.
//
// Rendering is pure: the same values give the same bytes. The texts come from
// an [fs.FS], so that a program which embeds the agent can bring its own. The
// package does not decide when a message is sent.
package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// requiredPlaceholders lists the texts that [Load] reads, without their ".md", and the placeholders {{NAME}} that each
// must contain.
var requiredPlaceholders = map[string][]string{
	"tools":      {"functions", "dialect", "hints"},
	"tools-json": {"functions", "dialect", "hints"},
	"examples":   {"calls"},
	"hints":      nil,
	"missing":    nil,

	"missing-ask-user": nil,
	"user":             {"prompt", "input", "now"},
	"input":            {"mark", "text"},
	"results":          {"results"},
	"result":           {"mark", "number", "tool", "result"},
	"changed":          {"call", "arguments"},
	"faults":           {"faults"},
	"answer":           {"format"},
	"answer-text":      {"format"},
	"violations":       {"violations"},
	"reminder":         {"example", "ending"},
	"required":         {"tools"},
	"told":             {"tool", "values"},
	"answered":         {"values"},
	"leaked":           nil,
	"empty":            nil,
	"cut":              nil,
	"broken":           nil,
	"fence":            {"fence"},

	"dialect":           {"example", "ending"},
	"dialect-tool":      {"fence"},
	"dialect-toolcalls": nil,
}

// Texts are the prompt texts, loaded once.
type Texts struct {
	text map[string]string
}

// Load reads the texts from files such as "tools.md". A missing file or placeholder is an error, because content
// would be lost.
func Load(fsys fs.FS) (*Texts, error) {
	t := &Texts{text: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(requiredPlaceholders)) {
		b, err := fs.ReadFile(fsys, name+".md")
		if err != nil {
			return nil, fmt.Errorf("prompt text %s: %w", name, err)
		}
		for _, placeholder := range requiredPlaceholders[name] {
			if !bytes.Contains(b, []byte("{{"+placeholder+"}}")) {
				return nil, fmt.Errorf("prompt text %s: the placeholder {{%s}} is missing", name, placeholder)
			}
		}
		t.text[name] = strings.TrimRight(string(b), "\n")
	}
	return t, nil
}

// All returns the texts by name, for the record of a run.
func (t *Texts) All() map[string]string { return maps.Clone(t.text) }

// RecordedFiles returns recorded texts, as from [Texts.All], as files. Texts that were not recorded, such as ones
// added since, are read from rest.
func RecordedFiles(texts map[string]string, rest fs.FS) fs.FS { return recorded{rest, texts} }

type recorded struct {
	fs.FS
	texts map[string]string
}

// ReadFile implements [fs.ReadFileFS].
func (r recorded) ReadFile(name string) ([]byte, error) {
	if text, ok := r.texts[strings.TrimSuffix(name, ".md")]; ok {
		return []byte(text), nil
	}
	return fs.ReadFile(r.FS, name)
}

// fillTemplate replaces {{key}} placeholders. pairs are alternating keys and values. Placeholders in values are not replaced.
func (t *Texts) fillTemplate(name string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{{" + pairs[i] + "}}"
	}
	return strings.NewReplacer(pairs...).Replace(t.text[name])
}

// System renders the system prompt: the base text, then the tools, with the ending tool of the dialect last. Without
// tools it is the base text alone.
func (t *Texts) System(base string, defs []*tool.Definition, d dialect.Dialect) string {
	if len(defs) == 0 {
		return joinTexts(base, "")
	}
	list, docs := "tools", functionDocs
	if d.HasJSONTools {
		list, docs = "tools-json", functionJSONLines
	}
	return joinTexts(base, t.fillTemplate(list,
		"functions", docs(append(slices.Clone(defs), tool.LookupEndingTool(d.Ending))),
		"dialect", t.dialectText(d),
		"examples", t.examples(defs, d),
		"hints", t.toolRules(defs)))
}

// dialectText renders the instructions for writing calls: a text for the dialect, or a general one
// with an example call.
func (t *Texts) dialectText(d dialect.Dialect) string {
	if name := "dialect-" + d.Name; t.text[name] != "" {
		return t.fillTemplate(name, "fence", d.FenceInfo())
	}
	write := func(name, arguments string) string {
		text, _ := d.Render(chat.Call{Name: name, Arguments: json.RawMessage(arguments)}, nil) // every dialect can write these
		return strings.TrimRight(text, "\n")
	}
	return t.fillTemplate("dialect", "example", write("name", `{"key":"value"}`), "ending", write(d.Ending, "{}"))
}

// toolRules renders the rules of a run with tools.
func (t *Texts) toolRules(defs []*tool.Definition) string {
	missing := t.text["missing"]
	if slices.Contains(defs, tool.AskUser) {
		missing = t.text["missing-ask-user"]
	}
	return t.fillTemplate("hints", "missing", missing)
}

// NativeSystem renders the system prompt of a run whose model calls natively. The tools are published separately, see
// [Functions].
func (t *Texts) NativeSystem(base string, defs []*tool.Definition) string {
	if len(defs) == 0 {
		return joinTexts(base, "")
	}
	return joinTexts(base, t.toolRules(defs))
}

// joinTexts appends a text to the base text as a paragraph. Either may be empty.
func joinTexts(base, text string) string {
	base = strings.TrimRight(base, "\n")
	if base == "" || text == "" {
		return base + text
	}
	return base + "\n\n" + text
}

// A UserMessage is the content of the first user message of a run.
type UserMessage struct {
	Prompt   string
	Input    string    // data for the prompt; "" for none
	Now      time.Time // the clock and time zone of the run
	Boundary string    // delimits data in the messages of the run
}

// User renders the first user message.
func (t *Texts) User(q UserMessage) string {
	input := ""
	if q.Input != "" {
		input = t.fillTemplate("input", "mark", q.Boundary, "text", neutraliseText(q.Input, q.Boundary))
		input = strings.TrimRight(input, "\n")
	}
	return t.fillTemplate("user", "prompt", strings.TrimRight(q.Prompt, "\n"), "input", input, "now", formatClock(q.Now))
}

// formatClock formats a time as "Saturday 2026-11-21 09:30:00 +01:00 (Europe/Berlin)".
func formatClock(now time.Time) string {
	return now.Format("Monday 2006-01-02 15:04:05 -07:00") + " (" + now.Location().String() + ")"
}

// A ToolResult is one result to show.
type ToolResult struct {
	Tool     string
	Result   json.RawMessage // the envelope
	MaxBytes int64           // limit of the result: see [Result]
	Changed  json.RawMessage // effective arguments, if the model wrote others; nil for none
}

// ChangedArguments renders the notice that a call ran with changed arguments, "" if it did not. call is the label of the call
// in the results.
func (t *Texts) ChangedArguments(call string, o ToolResult, boundary string) string {
	if o.Changed == nil {
		return ""
	}
	return t.fillTemplate("changed", "call", call, "arguments", Result(o.Changed, boundary, 0))
}

// Results renders the results of one response and its parse errors. Markers of every dialect and the boundary are
// neutralised in the results; values stay the same. The tags are written around the results, see
// [dialect.Dialect.ResultTags]. Of very many errors the first are shown.
func (t *Texts) Results(outcomes []ToolResult, faults []diag.Finding, boundary string, tags [2]string) string {
	var parts []string
	if len(outcomes) > 0 {
		var b strings.Builder
		var changed []string
		for i, o := range outcomes {
			number, name := strconv.Itoa(i+1), resultLabel(o.Tool, boundary)
			b.WriteString(t.fillTemplate("result", "mark", boundary, "number", number, "tool", name, "result", Result(o.Result, boundary, o.MaxBytes)))
			b.WriteByte('\n')
			if text := t.ChangedArguments(number+" "+name, o, boundary); text != "" {
				changed = append(changed, text)
			}
		}
		b.WriteString("--- " + boundary + " end ---")
		parts = append(parts, t.fillTemplate("results", "results", encloseLines(b.String(), tags)))
		parts = append(parts, changed...)
	}
	if len(faults) > 0 {
		parts = append(parts, t.fillTemplate("faults", "faults", listFindings(withLinePrefixes(faults), boundary)))
	}
	return strings.Join(parts, "\n\n")
}

// encloseLines writes tags on lines of their own around a text.
func encloseLines(text string, tags [2]string) string {
	if tags[0] != "" {
		text = tags[0] + "\n" + text
	}
	if tags[1] != "" {
		text += "\n" + tags[1]
	}
	return text
}

// Answer renders the request for the final answer, with its JSON Schema and its description. Either may be absent.
func (t *Texts) Answer(schema json.RawMessage, description string) string {
	var parts []string
	if description != "" {
		parts = append(parts, answerDescriptionPrefix+description)
	}
	if len(schema) > 0 {
		parts = append(parts, "It must fit this JSON Schema:\n"+string(schema))
	}
	return t.fillTemplate("answer", "format", strings.Join(parts, "\n"))
}

const answerDescriptionPrefix = "It should be: "

// TextAnswer renders the request for a text answer with an optional description.
func (t *Texts) TextAnswer(description string) string {
	if description != "" {
		description = answerDescriptionPrefix + description
	}
	return strings.TrimRight(t.fillTemplate("answer-text", "format", description), "\n")
}

// AnswerViolations renders the findings about an answer.
func (t *Texts) AnswerViolations(findings []diag.Finding, boundary string) string {
	return t.fillTemplate("violations", "violations", listFindings(findings, boundary))
}

// Reminder renders the reminder after a reply without a call, with an example and the name of the ending tool.
func (t *Texts) Reminder(example, ending string) string {
	return t.fillTemplate("reminder", "example", strings.TrimRight(example, "\n"), "ending", ending)
}

// Fence renders the message that fences have a new info string.
func (t *Texts) Fence(info string) string { return t.fillTemplate("fence", "fence", info) }

// Leaked renders the reminder after a reply whose text contains a call that should have been native.
func (t *Texts) Leaked() string { return t.text["leaked"] }

// Required renders the reminder after a reply that ends the work before all required tools were used.
func (t *Texts) Required(names []string) string {
	return t.fillTemplate("required", "tools", strings.Join(names, ", "))
}

// UserInput renders the values that the user supplied for a tool, by name.
func (t *Texts) UserInput(tool string, values map[string]string) string {
	text, _ := json.Marshal(values) // strings always have a JSON form
	return t.fillTemplate("told", "tool", tool, "values", string(text))
}

// Answered renders the user's answers to questions, by name.
func (t *Texts) Answered(values map[string]string) string {
	text, _ := json.Marshal(values) // strings always have a JSON form
	return t.fillTemplate("answered", "values", string(text))
}

// Empty renders the reminder after an empty reply.
func (t *Texts) Empty() string { return t.text["empty"] }

// Cut renders the reminder after a truncated reply.
func (t *Texts) Cut() string { return t.text["cut"] }

// UnusableReply renders the reminder after a reply that ended in another wrong way.
func (t *Texts) UnusableReply() string { return t.text["broken"] }

// maxNameBytes bounds the tool name that is shown: a model can call a tool of any name.
const maxNameBytes = 64

// resultLabel is the name of a tool before its result, on one line and neutralised.
func resultLabel(name, boundary string) string {
	quoted := dialect.Neutralise(quote.Encoded(quote.Shorten(name, maxNameBytes)), boundary)
	return string(quoted[1 : len(quoted)-1])
}

// withLinePrefixes prefixes the message of each finding by its line.
func withLinePrefixes(faults []diag.Finding) []diag.Finding {
	faults = slices.Clone(faults)
	for i, f := range faults {
		if f.Span.Line > 0 {
			faults[i].Message = fmt.Sprintf("line %d: %s", f.Span.Line, f.Message)
		}
	}
	return faults
}

// maxListed bounds the findings that a message lists: a reply can have as many as bytes.
const maxListed = 60

// listFindings renders findings as lines. A message can quote a model or a tool, so each is a JSON string with
// neutralised markers.
func listFindings(findings []diag.Finding, boundary string) string {
	var lines []string
	for _, f := range findings[:min(len(findings), maxListed)] {
		message := f.Message
		if f.Hint != "" {
			message += " (" + f.Hint + ")"
		}
		lines = append(lines, "- "+string(dialect.Neutralise(quote.Encoded(message), boundary)))
	}
	if more := len(findings) - maxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// neutraliseText returns text without markers and invisible characters unchanged, and any other text as a neutralised
// JSON string.
func neutraliseText(text, boundary string) string {
	quoted := quote.Encoded(text)
	inert := dialect.Neutralise(quoted, boundary)
	lines := strings.ReplaceAll(text, "\r\n", "\n")
	if bytes.Equal(quoted, inert) && diag.EscapeInvisible(lines) == lines {
		return text
	}
	return string(inert)
}

// EstimateTokens estimates how many tokens a text costs, to within about a
// quarter for English and JSON: measured at 3.4 bytes a token on tool
// definitions and 4.5 on prose.
func EstimateTokens(text string) int { return int(math.Ceil(float64(len(text)) / 3.7)) }
