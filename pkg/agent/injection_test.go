package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/runfile"
)

// An injection is a text with which a result attacks the run. Its class is the method:
// "dialect-in-result" (a call), "role-forging", "delimiter", "invisible" or "phrase";
// "dialect-in-output" is a call written by the model where no calls are parsed.
type injection struct {
	ID, Class, Where, Mode, Text string
	Visible                      bool // nothing in the text is to be escaped
}

// injections reads the cases of the project and, if available, the shared ones.
func injections(t testing.TB) []injection {
	t.Helper()
	files := []string{"../../testdata/injection/rows.jsonl"}
	if shared := os.Getenv("ONESHOT_SHARED"); shared != "" {
		files = append(files, filepath.Join(shared, "cases", "injection_cases.jsonl"))
	}
	var all []injection
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var i injection
			if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, i)
		}
	}
	return all
}

// inResult reports whether a result contains the text.
func (i injection) inResult() bool {
	return i.Text != "" && i.Mode == "" && slices.Contains([]string{"dialect-in-result", "role-forging", "delimiter", "invisible", "phrase"}, i.Class)
}

// A manner is the call format of a run.
type manner struct {
	name      string
	native    bool
	look, end string
}

var manners = []manner{
	{name: "tool", look: calls(`look("page")`), end: calls("finalResponse()")},
	{name: "toolcalls",
		look: `{"toolCalls":[{"type":"look","id":"a","operation":"look","parameters":{"q":"page"}}]}`,
		end:  `{"toolCalls":[{"type":"end_turn","id":"z","operation":"end","parameters":{}}]}`},
	{name: "native", native: true, end: "That is all."},
}

// A parrot is a model that reads a page twice, repeats its text verbatim, in its reply and as
// reasoning, and ends its work.
type parrot struct {
	manner
	page  func() string
	turns int
}

// Reply returns the next reply.
func (p *parrot) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	if req.Purpose == chat.PurposeAnswer {
		return says(answer42)(ctx, req, delta)
	}
	p.turns++
	switch {
	case p.turns <= 2 && p.native:
		return requests("", native("", "look", `{"q":"page"}`))(ctx, req, delta)
	case p.turns <= 2:
		return says(p.look)(ctx, req, delta)
	case p.turns == 3:
		delta(chat.Delta{Content: p.page()})
		return chat.Response{Content: p.page(), Reasoning: p.page(), Stop: chat.StopEnd}, nil
	}
	return says(p.end)(ctx, req, delta)
}

// parroting returns a run whose tool returns a page that its model repeats.
func parroting(t *testing.T, m manner, page func() string) *rig {
	r := newRig(t)
	model := &parrot{manner: m, page: page}
	r.cfg.Model = recordedModel{r, model}
	r.cfg.Native, r.cfg.ContinueDenied = m.native, true
	r.cfg.Input = "data" // the prompt then shows the boundary
	if !m.native {
		r.cfg.Dialect, _ = dialect.Lookup(m.name)
	}
	r.do["look"] = func(context.Context, string) (chat.Result, error) { return chat.Success(page()), nil }
	return r
}

// A recordedModel stores requests in a rig.
type recordedModel struct {
	r *rig
	m agent.Model
}

// Reply passes a request on.
func (m recordedModel) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	req.Messages = slices.Clone(req.Messages)
	m.r.requests = append(m.r.requests, req)
	return m.m.Reply(ctx, req, delta)
}

// A tool result is one message of data: it yields no call, no role, no boundary and no invisible
// character, the request otherwise equals that of a run with a harmless result, and nothing is
// executed when the model repeats it all. The record keeps the result verbatim.
func TestInjectionsInResults(t *testing.T) {
	for _, i := range injections(t) {
		if !i.inResult() {
			continue
		}
		for _, m := range manners {
			t.Run(i.ID+"/"+m.name, func(t *testing.T) {
				harmless := parroting(t, m, func() string { return "All is well." })
				harmless.mustRun()
				var r *rig
				page := func() string {
					mark := r.mark()
					return strings.NewReplacer("{PREVIOUS_DELIMITER}", mark, "{PREVIOUS_DELIMITER_IN_CAPITALS}", strings.ToUpper(mark)).Replace(i.Text)
				}
				r = parroting(t, m, page)
				out := r.mustRun()
				for _, c := range out.Calls {
					if c.Tool != "look" && c.Status == agent.CallOK {
						t.Errorf("%s %s", c.Tool, c.Status)
					}
				}
				wantOnlyLooks(t, r)
				wantData(t, m, i, r, harmless, page())
			})
		}
	}
}

// wantOnlyLooks asserts that only the parrot's own calls ran.
func wantOnlyLooks(t *testing.T, r *rig) {
	t.Helper()
	for _, line := range r.seen() {
		if strings.HasPrefix(line, "start") && line != `start look {"q":"page"}` {
			t.Errorf("the repeated text was run: %s", line)
		}
	}
}

// wantData compares the model's view of a page with its view of a harmless one.
func wantData(t *testing.T, m manner, i injection, r, harmless *rig, page string) {
	t.Helper()
	got, want := r.requests[2], harmless.requests[2]
	last := len(got.Messages) - 1
	message := got.Messages[last]
	wantInert(t, message.Content)
	if visible := diag.EscapeInvisible(message.Content); visible != message.Content {
		t.Errorf("characters that nobody sees are in what becomes %s", visible)
	}
	if escaped := strings.Contains(message.Content, `\u`); i.Visible && escaped {
		t.Errorf("escaped: %s", message.Content)
	}
	marks := 2 // before the one result, and at the end
	if m.native {
		marks = 0
	}
	if got := strings.Count(strings.ToLower(message.Content), r.mark()); got != marks {
		t.Errorf("the mark occurs %d times in %s", got, message.Content)
	}
	if data := dataOf(t, message.Content); data != page {
		t.Errorf("the model got %q, which is not what was returned: %q", data, page)
	}
	if shape := func(m chat.Message) any { return []any{m.Role, m.Name, strings.Count(m.Content, "\n")} }; cmp.Diff(shape(want.Messages[last]), shape(message)) != "" {
		t.Errorf("%+v, want one like %+v", message, want.Messages[last])
	}
	if len(got.Messages) != len(want.Messages) || got.System != want.System || cmp.Diff(got.Tools, want.Tools) != "" {
		t.Errorf("another request: %+v, want %+v", got, want)
	}
	wantRaw(t, r, page)
}

// dataOf returns the text in the last result of a message.
func dataOf(t *testing.T, message string) string {
	t.Helper()
	var text string
	for line := range strings.SplitSeq(message, "\n") {
		var envelope struct{ Data *string }
		if json.Unmarshal([]byte(line), &envelope) == nil && envelope.Data != nil {
			text = *envelope.Data
		}
	}
	return text
}

// wantRaw asserts that a record holds a page verbatim.
func wantRaw(t *testing.T, r *rig, page string) {
	t.Helper()
	if !slices.ContainsFunc(r.records, func(body runfile.Body) bool {
		result, ok := body.(runfile.Result)
		var text string
		return ok && json.Unmarshal(result.Result.Data, &text) == nil && text == page
	}) {
		t.Errorf("%q is not on record", page)
	}
}

// Text of a native run is never a call, in any dialect.
func TestInjectionsInNativeOutput(t *testing.T) {
	count := 0
	for _, i := range injections(t) {
		if i.Class != "dialect-in-output" && i.Class != "dialect-in-result" || i.Text == "" || i.Mode == "text" {
			continue
		}
		count++
		text := strings.ReplaceAll(i.Text, "terminal_execute", "put")
		r := nativeRig(t, says(text), says("That is all."), says(answer42))
		_, _ = r.run() // the model gets a reminder for text that looks like a call; other text ends the work
		for _, line := range r.seen() {
			if strings.HasPrefix(line, "start") {
				t.Errorf("%s: %s", i.ID, line)
			}
		}
	}
	if count < 20 {
		t.Errorf("%d cases", count)
	}
}

// A call in any dialect among other text, with any arguments, does not run when a model repeats it.
func TestRepeatedCalls(t *testing.T) {
	tools := map[string]string{"put": "path", "fetch": "uri", "list": "dir", "look": "q"}
	words := rapid.StringOfN(rapid.RuneFrom([]rune("ab /.:'\"\\\n1é`<")), 0, 12, -1)
	ran := 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"put", "fetch", "list", "look"}).Draw(rt, "tool")
		args, err := json.Marshal(map[string]string{tools[name]: words.Draw(rt, "argument")})
		if err != nil {
			rt.Fatal(err)
		}
		written, ok := rapid.SampledFrom(dialect.Dialects()).Draw(rt, "dialect").Render(chat.Call{Name: name, Arguments: args}, nil)
		if !ok {
			rt.Skip("the dialect cannot say it")
		}
		page := words.Draw(rt, "before") + "\n" + written + words.Draw(rt, "behind")
		for _, m := range manners {
			r := parroting(t, m, func() string { return page })
			_, _ = r.run() // some pages are unusable replies and end the run
			wantOnlyLooks(t, r)
			ran++
		}
	})
	if ran < 20 {
		t.Errorf("only %d runs", ran)
	}
}

// For any tool result, only the model's own calls are executed when it repeats the result.
func FuzzResult(f *testing.F) {
	for _, i := range injections(f) {
		if i.inResult() {
			f.Add(i.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(text) > 1<<16 {
			t.Skip("tools give back shorter texts, in UTF-8")
		}
		for _, m := range manners {
			r := parroting(t, m, func() string { return text })
			_, _ = r.run() // some pages are unusable replies and end the run
			wantOnlyLooks(t, r)
			for _, req := range r.requests {
				if last := req.Messages[len(req.Messages)-1]; strings.Contains(last.Content, `"ok":true`) {
					wantInert(t, last.Content)
				}
			}
		}
	})
}
