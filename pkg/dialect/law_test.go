package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// tool and toolcalls are the dialects of tests that need only one.
func tool(t testing.TB) Dialect { return find(t, "tool") }

func toolcalls(t testing.TB) Dialect { return find(t, "toolcalls") }

// find returns a dialect that must exist.
func find(t testing.TB, name string) Dialect {
	t.Helper()
	d, ok := Lookup(name)
	if !ok {
		t.Fatalf("no dialect %s", name)
	}
	return d
}

// A failer is a test, or one iteration of a property test.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A mode is one way to read a text: in a given dialect or in all, with a reasoning
// mode, and with or without known tools.
type mode struct {
	row *Dialect // nil for all
	Reasoning
	tools Toolset
}

func (m mode) String() string {
	name := "all dialects"
	if m.row != nil {
		name = m.row.Name
	}
	if m.tools != nil {
		name += ", tools known"
	}
	return name + [...]string{"", ", reasoning open", ", reasoning off"}[m.Reasoning]
}

func (m mode) markers() *markerSet {
	if m.row == nil {
		return allMarkers()
	}
	return markerSetOf(m.row)
}

func (m mode) scanner(emit func(Event)) *Scanner {
	s := new(Scanner)
	s.reset(m.markers(), m.Reasoning, m.tools, emit)
	return s
}

// in returns the mode of a dialect, or that of all dialects if it has no name.
func in(d Dialect) mode {
	if d.Name == "" {
		return mode{}
	}
	return mode{row: &d}
}

// checkSplits is [mode.checkSplits] for one dialect.
func checkSplits(t failer, d Dialect, text string) {
	t.Helper()
	in(d).checkSplits(t, text)
}

// modes returns the modes in which the tests read a text of a dialect.
func modes(d *Dialect) []mode {
	var all []mode
	for _, row := range []*Dialect{d, nil} {
		for _, tools := range []Toolset{nil, knownTools()} {
			for _, r := range []Reasoning{ReasoningAuto, ReasoningOpen, ReasoningOff} {
				all = append(all, mode{row, r, tools})
			}
		}
	}
	return all
}

// knownTools are the tools of the examples of all dialects. Their parameter types are
// arbitrary and need not match the values.
var knownTools = sync.OnceValue(func() Toolset {
	tools := Toolset{}
	for i := range Dialects() {
		texts := []string{Dialects()[i].Example, renderedCall(&Dialects()[i], "f", `{"a":"b","b":[1],"keyname":"c"}`)}
		for _, text := range texts {
			for _, c := range Scan(text, Options{Dialect: Dialects()[i]}).Calls {
				tools[c.Name] = anyShape(c.Arguments)
			}
		}
	}
	return tools
})

// anyShape returns the function that gives a shape with the members of an object and
// arbitrary types.
func anyShape(object json.RawMessage) func() *schema.Shape {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	types := []string{"string", "integer", "array", "boolean", "object", "number", "null"}
	properties := map[string]any{}
	for i, key := range slices.Sorted(maps.Keys(members)) {
		properties[key] = map[string]string{"type": types[(i+len(key))%len(types)]}
	}
	return shapeOfSchema(json.RawMessage(mustJSON(map[string]any{"type": "object", "properties": properties})))
}

// some returns one in stride items. Calls with other offsets return the others.
func some[T any](all []T, offset int) []T {
	var tried []T
	for i, one := range all {
		if (i+offset)%stride == 0 {
			tried = append(tried, one)
		}
	}
	return tried
}

// eachRow runs a test for every dialect.
func eachRow(t *testing.T, test func(t *testing.T, d *Dialect)) {
	for i := range Dialects() {
		t.Run(Dialects()[i].Name, func(t *testing.T) {
			t.Parallel()
			test(t, &Dialects()[i])
		})
	}
}

// events reads a text in pieces of the given sizes, and then the rest. It joins
// adjacent events of content, and of reasoning.
func (m mode) events(text string, sizes ...int) []Event {
	var all []Event
	s := m.scanner(func(e Event) {
		last := &Event{}
		if len(all) > 0 {
			last = &all[len(all)-1]
		}
		switch {
		case e.Content != "" && last.Content != "":
			last.Content += e.Content
		case e.Reasoning != "" && last.Reasoning != "":
			last.Reasoning += e.Reasoning
		default:
			all = append(all, e)
		}
	})
	for _, size := range sizes {
		size = min(size, len(text))
		s.Write([]byte(text[:size]))
		text = text[size:]
	}
	s.Write([]byte(text))
	s.Close()
	return all
}

// calls reads a text and returns its calls in their final state.
func (m mode) calls(text string) []chat.Call {
	c := collector{}
	s := m.scanner(c.addEvent)
	s.Write([]byte(text))
	s.Close()
	return c.kept
}

// everyByte returns sizes for pieces of one byte.
func everyByte(text string) []int {
	sizes := make([]int, len(text))
	for i := range sizes {
		sizes[i] = 1
	}
	return sizes
}

func randomSizes(r *rand.Rand, n int) []int {
	var sizes []int
	for n > 0 {
		size := 1 + r.IntN(1+r.IntN(64))
		sizes = append(sizes, size)
		n -= size
	}
	return sizes
}

// checkSplit checks that a text in pieces gives the same calls, content, reasoning and
// findings as the whole text.
func (m mode) checkSplit(t failer, text string, whole []Event, sizes ...int) {
	t.Helper()
	if split := m.events(text, sizes...); !reflect.DeepEqual(whole, split) {
		how := fmt.Sprint("pieces ", sizes)
		if len(sizes) == len(text) {
			how = "bytes"
		}
		t.Fatalf("%v: %s of %q (-whole +split)\n%s", m, how, text, cmp.Diff(whole, split))
	}
}

// checkSplits checks single bytes, and all splits in two of a short text with
// ReasoningAuto, or random splits of any other.
func (m mode) checkSplits(t failer, text string) {
	t.Helper()
	whole := m.events(text)
	m.checkSplit(t, text, whole, everyByte(text)...)
	if len(text) <= allSplits && m.Reasoning == ReasoningAuto {
		for i := range text {
			m.checkSplit(t, text, whole, i)
		}
		return
	}
	r := rand.New(rand.NewPCG(1, uint64(len(text))))
	for range min(10, 1+1<<16/(1+len(text))) {
		m.checkSplit(t, text, whole, randomSizes(r, len(text))...)
	}
}

// A piece is a part of a text that a scanner has emitted.
type piece struct {
	diag.Span
	call bool
}

// checkContent checks that content, reasoning and calls are emitted in text order, with
// only markers and frames between them. Text between two pieces that are not calls must
// be silent or reported.
func (m mode) checkContent(t failer, text string) {
	t.Helper()
	var s *Scanner
	var pieces, reported []piece
	at := 0
	pass := func(start, end int, passed string, call bool) {
		if start < at || end < start || end > len(text) || text[start:end] != passed {
			t.Fatalf("%v: %q is passed on as [%d, %d), behind %d, of %q", m, passed, start, end, at, text)
		}
		at, pieces = end, append(pieces, piece{diag.Bytes(start, end), call})
	}
	s = m.scanner(func(e Event) {
		switch {
		case e.Call != nil && !e.Call.Executable && e.Call.End == at && s.contentEnd == at: // a quoted call, which is content as well
			checkCall(t, *e.Call, text)
		case e.Call != nil:
			pass(e.Call.Start, e.Call.End, e.Call.Text, true)
			checkCall(t, *e.Call, text)
		case e.Finding != nil:
			checkSpan(t, *e.Finding, text)
			reported = append(reported, piece{Span: e.Finding.Span})
		case !e.ContentWasReasoning && !e.Revoked:
			passed := e.Content + e.Reasoning
			pass(s.contentEnd-len(passed), s.contentEnd, passed, false)
		}
	})
	s.Write([]byte(text))
	s.Close()
	pieces = append(pieces, piece{Span: diag.Bytes(len(text), len(text))})
	last := piece{}
	for _, p := range pieces {
		gap := diag.Bytes(last.End, p.Start)
		told := slices.ContainsFunc(reported, func(r piece) bool { return r.Start <= gap.End && r.End >= gap.Start })
		if !p.call && !last.call && !told && !s.markers.silent(text[gap.Start:gap.End]) {
			t.Fatalf("%v: %q is dropped in silence from %q", m, text[gap.Start:gap.End], text)
		}
		last = p
	}
}

// silent reports whether a text contains only markers, the optional text after them,
// blanks, and empty frames.
func (s *markerSet) silent(text string) bool {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for text != "" {
		rest := strings.TrimLeft(text, " \t\r\n\u00a0\ufeff")
		for i, marker := range s.texts {
			after, ok := strings.CutPrefix(rest, strings.TrimLeft(marker, " "))
			for _, u := range s.uses[i] {
				if ok && (u.role == fenceRun || u.role == openBrace || u.header() && len(text) < maxHeadPiece) {
					return true // a fence or a list without calls, or a message header
				}
				after = strings.TrimPrefix(after, u.skip)
			}
			rest = after
		}
		if rest == text {
			rest = strings.TrimLeft(text, "[]{},;")
		}
		if rest == text {
			return s.speech(text) || slices.ContainsFunc(s.implicit, markerUse.header)
		}
		text = rest
	}
	return true
}

// header reports whether a marker begins a message header.
func (u markerUse) header() bool {
	return u.role != ignore && u.dialect != nil && u.dialect.framing.reasoning != nil && len(u.dialect.framing.reasoning) == 0
}

// speech reports whether a text is the text that a marker skips, such as the recipient
// "all", without that marker.
func (s *markerSet) speech(text string) bool {
	return slices.ContainsFunc(slices.Concat(s.uses...), func(u markerUse) bool { return u.skip != "" && u.skip == text })
}

func checkCall(t failer, c chat.Call, text string) {
	t.Helper()
	switch {
	case c.Name == "":
		t.Fatalf("call without a name in %q", text)
	case c.Executable != (c.Status == chat.StatusOK || c.Status == chat.StatusRepaired):
		t.Fatalf("call %q is %s and executable: %t", c.Text, c.Status, c.Executable)
	case c.Executable && !json.Valid(c.Arguments):
		t.Fatalf("call %q has the arguments %q", c.Text, c.Arguments)
	}
}

func checkSpan(t failer, f diag.Finding, text string) {
	t.Helper()
	if f.Span.Start < 0 || f.Span.End < f.Span.Start || f.Span.End > len(text) {
		t.Fatalf("%v at [%d, %d) of %d bytes: %q", f, f.Span.Start, f.Span.End, len(text), text)
	}
	for _, fix := range f.Fixes {
		done := 0
		for _, e := range fix.Edits {
			if e.Start < done || e.End < e.Start || e.End > len(text) {
				t.Fatalf("%v: edits %v of %d bytes: %q", f, fix.Edits, len(text), text)
			}
			done = e.End
		}
	}
}

func TestSplits(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		for i, c := range cases(t, *d) {
			for _, m := range some(modes(d), i) {
				m.checkSplits(t, c.input)
				m.checkContent(t, c.input)
			}
		}
	})
}

// TestLongSplits joins all cases, so that the openers, quotes and faults of one affect
// the next.
func TestLongSplits(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		text := joined(t, d)
		for _, m := range some(modes(d), len(d.Title)) {
			m.checkLaws(t, text, randomSizes(rand.New(rand.NewPCG(2, 3)), len(text))...)
		}
		mode{row: d}.checkSplits(t, text[:min(len(text), allSplits)])
	})
	var all strings.Builder
	for i := range Dialects() {
		all.WriteString(joined(t, &Dialects()[i]))
	}
	mode{}.checkSplits(t, all.String())
	mode{}.checkContent(t, all.String())
}

// joined returns all cases of a dialect as one text.
func joined(t *testing.T, d *Dialect) string {
	var b strings.Builder
	for _, c := range cases(t, *d) {
		b.WriteString(c.input + "\n```\n~~~\n")
	}
	return b.String()
}

// endsLate lists the dialects in which only the next text ends some calls, with the
// reason.
var endsLate = map[string]string{
	"functionary_v2":  "code ends where the message does",
	"functionary_v32": "code ends where >>> begins a line",
	"qwen_agent":      "code ends where the next call begins",
	"harmony":         "code ends where the message does",
	"inkling":         "text ends where the message does",
	"react":           "arguments that are text end where a line begins with Observation",
	"continue":        "arguments follow until a line is none",
}

// mayEndLate reports whether only the next text may end a call of a dialect. That includes
// tags whose closing marker is missing or wrong, and arguments that are missing or a word,
// which could continue.
func mayEndLate(d *Dialect, c chat.Call) bool {
	tags := slices.ContainsFunc(markupDialects(), func(m Dialect) bool { return m.Name == d.Name })
	word := strings.HasSuffix(c.Text, "null") || strings.HasSuffix(c.Text, "[ARGS]")
	return endsLate[d.Name] != "" || tags && c.Status == chat.StatusRepaired || word
}

// TestCallAtLastByte checks that a call is emitted exactly at its last byte.
func TestCallAtLastByte(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		for _, c := range cases(t, *d) {
			for _, m := range []mode{{row: d}, {}} {
				at := 0
				var s *Scanner
				s = m.scanner(func(e Event) {
					if e.Call != nil && e.Call.Executable && e.Call.End != at && !mayEndLate(s.frame.dialect, *e.Call) {
						t.Errorf("%v, %s: %q ends at %d and comes at %d", m, c.name(), e.Call.Text, e.Call.End, at)
					}
				})
				for at = 1; at <= len(c.input); at++ {
					s.Write([]byte{c.input[at-1]})
				}
			}
		}
	})
}

// TestLookaheadsAreFinal checks that the verdict of a lookahead, once decided, does not
// change with more text.
func TestLookaheadsAreFinal(t *testing.T) {
	var texts []string
	for i := range Dialects() {
		call := renderedCall(&Dialects()[i], "fetch", `{"a":"b"}`)
		texts = append(texts, call, Dialects()[i].Example)
		for _, mark := range markerSetOf(&Dialects()[i]).texts {
			if _, behind, ok := strings.Cut(call, mark); ok {
				texts = append(texts, behind, " \n"+behind, "x"+behind)
			}
		}
		for k, c := range cases(t, Dialects()[i]) {
			if at := strings.IndexByte(c.input, '>'); at >= 0 && k%8 == 0 {
				texts = append(texts, c.input[at+1:min(len(c.input), at+maxLookahead)])
			}
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	for i, uses := range allMarkers().uses {
		for _, u := range uses {
			for _, l := range []lookahead{u.lookahead, u.ownLookahead} {
				for _, text := range texts {
					checkFinal(t, allMarkers().texts[i], l, text)
				}
			}
		}
	}
}

func checkFinal(t *testing.T, mark string, l lookahead, text string) {
	t.Helper()
	if l == nil {
		return
	}
	first, at := undecided, 0
	for n := range 1 + min(len(text), maxLookahead) {
		switch v := l([]byte(text[:n])); {
		case first == undecided:
			first, at = v, n
		case v != first:
			t.Fatalf("%q: %d with %q behind it, and %d with %q", mark, first, text[:at], v, text[:n])
		}
	}
}

// nearMarks are texts that almost match the markers of a dialect.
func nearMarks(d *Dialect) []string {
	var all []string
	for _, text := range markerSetOf(d).texts {
		all = append(all, text[:len(text)-1]+"x", text[:len(text)/2], text+"\x00")
		if text != listInText.text { // a possible list of calls is held as a whole
			all = append(all, text+strings.Repeat(" ", maxLookahead-1)+"\x00")
		}
	}
	return all
}

// TestHoldBack checks that text is held back no longer than it takes to resolve a
// marker.
func TestHoldBack(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		for _, near := range nearMarks(d) {
			for _, m := range []mode{{row: d}, {}} {
				most := m.markers().longest + maxLookahead + maxFenceRun + maxFenceBlanks
				text := "Text. " + strings.Repeat(near+" and "+near+"\n", 3)
				if r := m.events(text); len(r) != 1 || r[0].Content != text {
					continue // not all of it is content
				}
				s := m.scanner(func(Event) {})
				for i := range len(text) {
					s.Write([]byte{text[i]})
					if held := i + 1 - s.contentEnd; held > most {
						t.Fatalf("%v: %d bytes of %q are held back", m, held, text[:i+1])
					}
				}
			}
		}
	})
}
