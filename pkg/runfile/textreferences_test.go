package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// sameText checks that a run file of the bodies is read as the same bodies, and returns its text.
func sameText(t *testing.T, bodies ...Body) string {
	t.Helper()
	text := write(t, bodies...)
	log, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []Body
	for _, r := range log.Records[1:] {
		got = append(got, r.Body)
	}
	if diff := cmp.Diff(bodies, got); diff != "" {
		t.Errorf("bodies (-written +read):\n%s", diff)
	}
	return string(text)
}

// rows returns a text like a table, whose rows differ in one letter.
func rows(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("row " + string(rune('a'+i%26)) + " of the table, whose other rows look much like it; ")
	}
	return b.String()
}

// D6: text that a message repeats is in the file once, however it was rendered.
func TestTextIsStoredOnce(t *testing.T) {
	const token = "TOKEN"
	long := rows(40) + token + rows(3)
	quoted := jsonEscapedText(`[{"text":"` + long + `"}]`)
	envelope := func(data string) string { return `{"ok":true,"data":` + data + `}` }
	for name, tt := range map[string]struct{ data, shown string }{
		"as it is":            {`{"v":"TOKEN"}`, envelope(`{"v":"TOKEN"}`)},
		"in a frame":          {`"TOKEN"`, "--- 1 ---\n" + envelope(`"TOKEN"`) + "\n--- end ---"},
		"markers are inert":   {`"<a>TOKEN<b><c>é"`, envelope(`"\u003ca>TOKEN\u003cb>\u003cc>é"`)},
		"beyond the BMP":      {`"😀TOKEN€"`, envelope(`"\ud83d\ude00TOKEN€"`)},
		"the head of text":    {`"` + token + rows(40) + `"`, envelope(`{"head":"` + token + long[:200] + `","tail":"` + long[len(long)-80:] + `"}`)},
		"the tail of text":    {`"` + long + `"`, envelope(`{"head":"` + long[:300] + `","tail":"` + long[len(long)-400:] + `"},"truncated":{"bytes":9}`)},
		"the tail of objects": {`[{"text":"` + long + `"}]`, envelope(`{"head":"` + quoted[:300] + `","tail":"` + quoted[len(quoted)-400:] + `"},"truncated":{"bytes":9}`)},
		"marks in a quoted":   {`[{"text":"<a>` + long + `"}]`, envelope(`{"head":"` + strings.Replace(quoted, `\"text\":\"`, `\"text\":\"\\u003ca>`, 1)[:300] + `","tail":"` + quoted[len(quoted)-400:] + `"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			result := Result{Call: "c1", Result: chat.Result{Data: json.RawMessage(tt.data)}}
			call := Call{Turn: 1, ID: "c1", Name: "x", Verdict: "allow"}
			for _, m := range []chat.Message{{Role: chat.User, Content: tt.shown}, {Role: chat.Tool, CallID: "c1", Content: tt.shown}} {
				text := sameText(t, Request{Turn: 1, Messages: []chat.Message{}}, call, Response{Turn: 1, Content: "I call x."}, result,
					Request{Turn: 2, Messages: []chat.Message{{Role: chat.Assistant, Content: "I call x."}, m}})
				if n := strings.Count(text, token); n != 1 {
					t.Errorf("the token is %d times in\n%s", n, text)
				}
				if n := strings.Count(text, "I call x."); n != 1 {
					t.Errorf("the response is %d times in\n%s", n, text)
				}
			}
		})
	}
}

// TestResultsOfOneMessage checks that a message refers to each of its results in order, even if it leaves one out.
func TestResultsOfOneMessage(t *testing.T) {
	bodies := []Body{Request{Turn: 1, Messages: []chat.Message{}}}
	var shown strings.Builder
	for _, id := range []string{"c1", "c2", "c3"} {
		data := `"` + id + ` TOKEN"`
		bodies = append(bodies, Call{Turn: 1, ID: id, Name: "x", Verdict: "allow"}, Result{Call: id, Result: chat.Result{Data: json.RawMessage(data)}})
		if id != "c2" {
			shown.WriteString("--- " + id + " ---\n{\"ok\":true,\"data\":" + data + "}\n")
		}
	}
	text := sameText(t, append(bodies, Request{Turn: 2, Messages: []chat.Message{{Role: chat.User, Content: shown.String()}}})...)
	if n := strings.Count(text, "TOKEN"); n != 3 {
		t.Errorf("the token is %d times in\n%s", n, text)
	}
}

// D6: the decision about a call and the response hold the arguments. The native form of the response, the
// effective arguments and the next request refer to them. Only the first record holds the input.
func TestArgumentsAndInputAreStoredOnce(t *testing.T) {
	args := json.RawMessage(`{"text":"ARGUMENT ` + rows(3) + `"}`)
	native := &chat.Native{API: "chat", Model: "m", Body: json.RawMessage(`{"role":"assistant","tool_calls":[{"function":{"arguments":` + string(quote.Encoded(string(args))) + `}}]}`)}
	calls := []chat.Call{{ID: "c1", Name: "x", Arguments: args}}
	text := sameText(t,
		Request{Turn: 1, Messages: []chat.Message{{Role: chat.User, Content: "Go"}}},
		Call{Turn: 1, ID: "c1", Name: "x", Proposed: args, Effective: args, Verdict: "allow"},
		Response{Turn: 1, Calls: calls, Native: native},
		Request{Turn: 2, Messages: []chat.Message{{Role: chat.Assistant, Calls: calls, Native: native}}})
	if n := strings.Count(text, "ARGUMENT"); n != 2 {
		t.Errorf("the arguments are %d times in\n%s", n, text)
	}

	input := rows(3) + `INPUT "quoted" <mark>`
	known := newDeduplicator()
	known.track(Run{Input: input})
	for _, shown := range []string{"Go\n" + input, `Go "` + strings.ReplaceAll(jsonEscapedText(input), "<", `\u003c`) + `"`} {
		got := known.deduplicate(Request{Messages: []chat.Message{{Role: chat.User, Content: shown}}}).(storedRequest)
		whole, err := got.expand(known.earlierTexts)
		if err != nil || whole.(Request).Messages[0].Content != shown {
			t.Errorf("%v, %v, want %q", whole, err, shown)
		}
		if doc, _ := json.Marshal(got); bytes.Contains(doc, []byte("INPUT")) {
			t.Errorf("the input is in %s", doc)
		}
	}
}

// TestReferencesAreToWhatIsRead checks that references are to the text as read back: JSON without whitespace, and
// U+FFFD for invalid UTF-8.
func TestReferencesAreToWhatIsRead(t *testing.T) {
	spaced := json.RawMessage(`{ "a": 1,  "text": "` + rows(3) + `" }`)
	body := json.RawMessage(`{ "role": "assistant", "tool_calls": [ {"arguments": ` + string(quote.Encoded(string(spaced))) + `} ] }`)
	native := &chat.Native{API: "chat", Model: "m", Body: body}
	failed := chat.Failure(chat.Failed, "%s", "\xff\xfe "+rows(3))
	shown, err := failed.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	text := write(t,
		Request{Turn: 1, Messages: []chat.Message{}},
		Call{Turn: 1, ID: "c1", Name: "x", Proposed: spaced, Verdict: "allow"},
		Response{Turn: 1, Native: native}, Result{Call: "c1", Result: failed},
		Request{Turn: 2, Messages: []chat.Message{{Role: chat.Assistant, Calls: []chat.Call{{ID: "c1", Name: "x", Arguments: spaced}}, Native: native}, {Role: chat.Tool, CallID: "c1", Content: string(shown)}}})
	log, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, body); err != nil {
		t.Fatal(err)
	}
	got := log.Records[5].Body.(Request).Messages
	if response := log.Records[3].Body.(Response); string(response.Native.Body) != want.String() || string(got[0].Native.Body) != want.String() {
		t.Errorf("read as\n%s and\n%s, want\n%s", response.Native.Body, got[0].Native.Body, want.String())
	}
	if got[1].Content != string(shown) {
		t.Errorf("read as %q, want %q", got[1].Content, shown)
	}
	if n := bytes.Count(text, []byte(`"arguments_parts":[{"call":"c1"}]`)); n != 1 {
		t.Errorf("the call has its arguments whole in\n%s", text)
	}
	if n := bytes.Count(text, []byte("tool_calls")); n != 1 {
		t.Errorf("the native form is %d times in\n%s", n, text)
	}
}

// After a file was reopened, a request refers to its live records and not to void ones.
func TestReferencesAfterResume(t *testing.T) {
	result := func(id, data string) Result {
		return Result{Call: id, Result: chat.Result{Data: json.RawMessage(data)}}
	}
	bodies := []Body{
		Request{Turn: 1, Messages: []chat.Message{}}, Call{Turn: 1, ID: "c1", Name: "x", Verdict: "allow"}, Response{Turn: 1, Content: "old"},
		result("c1", `"KEPT"`), Call{Turn: 1, ID: "c2", Name: "x", Verdict: "allow"}, result("c2", `"VOID"`),
		Request{Turn: 2, Messages: []chat.Message{{Role: chat.User, Content: `{"ok":true,"data":"KEPT"}`}}},
	}
	path := t.TempDir() + "/run.jsonl"
	w, err := Create(path, start())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bodies {
		err = errors.Join(err, w.Append(b))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	w, _, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	again := Request{Turn: 2, Messages: []chat.Message{{Role: chat.Assistant, Content: "old"}, {Role: chat.User, Content: `{"ok":true,"data":"KEPT"}, {"ok":true,"data":"VOID"}`}}}
	for _, b := range []Body{Resumed{KeptThrough: 6}, again} {
		err = errors.Join(err, w.Append(b))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	log, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Body(again), last(log.Records).Body); diff != "" {
		t.Errorf("the request (-written +read):\n%s", diff)
	}
	known := deduplicatorAt(log.Records, 6)
	if doc, _ := json.Marshal(known.deduplicate(again)); !bytes.Contains(doc, []byte(`{"result":"c1"}`)) || !bytes.Contains(doc, []byte(`{"response":1}`)) || !bytes.Contains(doc, []byte("VOID")) {
		t.Errorf("it is stored as %s", doc)
	}
}

func last(records []Record) Record { return records[len(records)-1] }

// TestDamagedReferences checks that a reference that cannot be resolved is damage, reported at its line.
func TestDamagedReferences(t *testing.T) {
	line := func(seq int, kind Kind, body string) string {
		var b bytes.Buffer
		var members map[string]any
		if err := json.Unmarshal([]byte(body), &members); err != nil {
			t.Fatal(err)
		}
		if err := encode(&b, Header{Seq: seq, Run: testID, Kind: kind, Time: time.Now()}, raw{members, kind}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	message := func(parts string) string {
		return `{"turn":1,"messages":[{"role":"user","content_parts":[` + parts + `]}]}`
	}
	before := string(write(t)) + line(2, KindResult, `{"call":"c1","result":{"ok":true,"data":"`+strings.Repeat("x", 1<<20)+`"}}`)
	for name, tt := range map[string]struct{ body, want string }{
		"no such result":   {message(`"a",{"result":"c9"}`), `message 1: it refers to the result of call "c9", which is in no earlier record`},
		"no such response": {message(`{"response":7}`), `it refers to the response of turn 7, which`},
		"no such native":   {message(`{"native":7}`), `it refers to the native response of turn 7, which`},
		"no such call":     {message(`{"call":"c9"}`), `it refers to the arguments of call "c9", which`},
		"nothing":          {message(`{}`), `it refers to an empty reference, which`},
		"beyond the end":   {message(`{"result":"c1","from":4,"to":99999999}`), `it refers to bytes 4 to 99999999 of the result of call "c1", which has only 1048597`},
		"backwards":        {message(`{"result":"c1","from":4,"to":2}`), `it refers to bytes 4 to 2 of`},
		"negative":         {message(`{"result":"c1","from":-4,"to":2}`), `it refers to bytes -4 to 2 of`},
		"no JSON":          {`{"turn":1,"messages":[{"role":"assistant","content":"","native":{"api":"chat","model":"m","body_parts":["{"]}}]}`, `its references do not give valid JSON`},
		"too much":         {message(strings.Repeat(`{"result":"c1"},`, 300) + `""`), `its references copy too much`},
	} {
		log, err := Read(strings.NewReader(before + line(3, KindRequest, tt.body)))
		damage := new(DamageError)
		if !errors.As(err, &damage) || damage.Line != 3 || damage.Code != diag.RunDamaged || !strings.Contains(damage.Why, tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if found := Findings("run.jsonl", log, err); len(found) == 0 || found[len(found)-1].Span.Line != 3 {
			t.Errorf("%s: findings %v", name, found)
		}
	}
}

// raw is a body with arbitrary members.
type raw struct {
	members map[string]any
	kind    Kind
}

func (r raw) Kind() Kind                   { return r.kind }
func (r raw) MarshalJSON() ([]byte, error) { return json.Marshal(r.members) }

// TestAttachmentIsStoredOnce checks that the data of an attachment is in the file once, and that every message
// that refers to it is read with it.
func TestAttachmentIsStoredOnce(t *testing.T) {
	data := picture()
	a, _ := chat.NewAttachment("a.png", data.Data)
	message := chat.Message{Role: chat.User, Content: "look", Attachments: []chat.Attachment{a}}
	text := sameText(t, data,
		Request{Turn: 1, Purpose: chat.PurposeTurn, Messages: []chat.Message{message}, Digest: "a"},
		Request{Turn: 1, Purpose: chat.PurposeTurn, System: "anew", Messages: []chat.Message{message}, Digest: "b"},
	)
	if n := strings.Count(text, `"data":`); n != 1 {
		t.Errorf("the data is in the file %d times", n)
	}
}

func TestDamagedAttachments(t *testing.T) {
	a, _ := chat.NewAttachment("a.png", picture().Data)
	for want, bodies := range map[string][]Body{
		"does not have the digest": {Attachment{SHA256: a.SHA256, Data: []byte("other")}},
		"in no earlier record": {Request{Turn: 1, Purpose: chat.PurposeTurn, Digest: "a",
			Messages: []chat.Message{{Role: chat.User, Attachments: []chat.Attachment{a}}}}},
	} {
		_, err := Read(bytes.NewReader(write(t, bodies...)))
		if damage := new(DamageError); !errors.As(err, &damage) || !strings.Contains(damage.Why, want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
