package runfile

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

func TestFindingsOfAGoodRun(t *testing.T) {
	log, err := Read(bytes.NewReader(write(t, story()...)))
	if got := Findings("run.jsonl", log, err); len(got) != 0 {
		t.Errorf("findings in a good run: %v", got)
	}
}

func TestFindingsOfDamage(t *testing.T) {
	text := write(t, story()...)
	second := offsetOf(string(text), 2)
	for _, c := range []struct {
		text []byte
		code diag.Code
		line int
		want string
	}{
		{text[:len(text)-3], diag.RunTorn, 1 + len(story()), "the last record is incomplete: the line has no line feed"},
		{bytes.Replace(text, []byte(`"number":1`), []byte(`"number":2`), 1), diag.RunDamaged, 4, "the checksum is missing or wrong"},
		{text[second:], diag.RunSequence, 1, `the first record has kind "attachment", expected "run"`},
		{[]byte(seal(`"seq":1,"kind":"run","version":3`)), diag.RunVersion, 1, "the run file has format version 3, and this oneshot reads version 2; update oneshot"},
	} {
		log, err := Read(bytes.NewReader(c.text))
		got := Findings("r", log, err)
		if len(got) != 1 {
			t.Errorf("%s: %v, want one finding", c.code, got)
			continue
		}
		f := got[0]
		if f.Code != c.code || f.File != "r" || f.Span.Line != c.line || f.Span.Start != int(offsetOf(string(c.text), c.line)) || f.Message != c.want {
			t.Errorf("%s: %v at offset %d, want line %d: %s", c.code, f, f.Span.Start, c.line, c.want)
		}
	}
}

func TestFindingsOfOrder(t *testing.T) {
	request := Request{Turn: 1, Purpose: chat.PurposeTurn}
	response := Response{Turn: 1}
	call, intent, result := Call{Turn: 1, ID: "c"}, Intent{Call: "c"}, Result{Call: "c", Result: chat.Success(1)}
	ask, yes := Call{Turn: 1, ID: "c", Verdict: "ask"}, Approval{Call: "c", Approved: true}
	for _, c := range []struct {
		name   string
		bodies []Body
		want   []string // in the file's order: "line: words"
	}{
		{"call in a turn", []Body{request, response, call, result}, nil},
		{"early call", []Body{request, call, result, response}, nil},
		{"two requests of one turn", []Body{request, request, response}, nil},
		{"crash with an open call", []Body{request, response, call, intent}, nil},
		{"intent that replaces a file", []Body{request, response, call, Intent{Call: "c", Before: &BeforeImage{State: chat.FilePresent, SHA256: strings.Repeat("0f", 32)}}, result}, nil},
		{"intent that makes a file", []Body{request, response, call, Intent{Call: "c", Before: &BeforeImage{State: chat.FileMissing}}, result}, nil},
		{"before without a state", []Body{request, response, call, Intent{Call: "c", Before: &BeforeImage{}}}, []string{"5: intent record: before has no state"}},
		{"before without a digest", []Body{request, response, call, Intent{Call: "c", Before: &BeforeImage{State: chat.FilePresent, SHA256: "0f"}}}, []string{`5: intent record: before.sha256 is "0f", expected 64 hexadecimal digits`}},
		{"before of no file", []Body{request, response, call, Intent{Call: "c", Before: &BeforeImage{State: chat.FileMissing, Bytes: 1}}}, []string{`5: intent record: before describes a file whose state is "missing"`}},
		{"before with a long text", []Body{request, response, call, Intent{Call: "c", Before: &BeforeImage{State: chat.FilePresent, SHA256: strings.Repeat("0f", 32), Text: strings.Repeat("x", MaxBeforeText+1)}}}, []string{"5: intent record: before.text has 65537 bytes, the limit is 65536"}},
		{"before of less than nothing", []Body{request, response, call, Intent{Call: "c", Before: &BeforeImage{State: chat.FilePresent, SHA256: strings.Repeat("0f", 32), Bytes: -1}}}, []string{"5: intent record: before.bytes is -1"}},
		{"end with a recovery", []Body{End{Exit: 5, Name: "unavailable", Retry: RetryLater, Retryable: true, Resume: "x"}}, nil},
		{"end with an unknown retry", []Body{End{Retry: "maybe"}}, []string{`2: retry is "maybe", expected one of [no later`}},
		{"end that contradicts itself", []Body{End{Retry: RetryNo, Retryable: true}}, []string{`2: it is retryable, but retry is "no"`}},
		{"second run", []Body{start()}, []string{"2: not the first"}},
		{"result without a call", []Body{request, response, result}, []string{`4: no call "c"`}},
		{"intent without a call", []Body{intent}, []string{`2: no call "c"`}},
		{"discarded without a call", []Body{Discarded{Call: "c"}}, []string{`2: no call "c"`}},
		{"response without a request", []Body{response}, []string{"2: no open request"}},
		{"two responses", []Body{request, response, response}, []string{"4: no open request"}},
		{"response of another turn", []Body{request, Response{Turn: 2}}, []string{"3: no open request"}},
		{"attempt without a request", []Body{Attempt{Turn: 1}}, []string{"2: no open request"}},
		{"call without a request", []Body{call}, []string{"2: no request in its turn"}},
		{"call of another turn", []Body{request, Call{Turn: 2, ID: "d"}}, []string{"3: no request in its turn"}},
		{"same id", []Body{request, response, call, call}, []string{"5: a call with this ID"}},
		{"two intents", []Body{request, response, call, intent, intent}, []string{"6: already has an intent"}},
		{"two results", []Body{request, response, call, result, result}, []string{"6: already closed"}},
		{"unknown without an intent", []Body{request, response, call, UnknownOutcome{Call: "c"}}, []string{"5: has no intent"}},
		{"result after discarded", []Body{request, call, Discarded{Call: "c"}, result}, []string{"5: already closed"}},
		{"request over a begun call", []Body{request, response, call, intent, Request{Turn: 2}}, []string{"6: has no outcome"}},
		{"request over a call that never ran", []Body{request, call, Request{Turn: 1}, response}, nil},
		{"turn goes back", []Body{Request{Turn: 2}, request}, []string{"3: its turn has already ended"}},
		{"answer without a request", []Body{Answer{JSON: []byte("1")}}, []string{"2: no request"}},
		{"two answers", []Body{request, response, Answer{JSON: []byte("1")}, Answer{JSON: []byte("1")}}, []string{"5: already has an answer"}},
		{"told before an answer", []Body{request, response, UserInput{Tool: "x"}}, []string{"4: has no answer yet"}},
		{"approved", []Body{request, response, ask, yes, intent, result}, nil},
		{"refused", []Body{request, response, ask, Approval{Call: "c"}, result}, nil},
		{"intent without the approval", []Body{request, response, ask, intent}, []string{"5: was not approved"}},
		{"approval that nobody asked for", []Body{request, response, call, yes}, []string{"5: has no intent"}},
		{"resumed", []Body{request, response, ask, End{}, Resumed{KeptThrough: 4}, yes, intent, result, End{}}, nil},
		{"resumed behind the end", []Body{End{}, Resumed{KeptThrough: 2}, request}, []string{"4: the end of the run"}},
		{"resumed too much", []Body{End{}, Resumed{KeptThrough: 3}, Resumed{KeptThrough: 0}}, []string{"3: keeps 3 records", "4: keeps 0 records"}},
		{"after the end", []Body{End{}, request, End{}}, []string{"3: the end of the run", "4: it follows the end"}},
	} {
		log, err := Read(bytes.NewReader(write(t, c.bodies...)))
		got := Findings("r", log, err)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
			continue
		}
		for i, f := range got {
			line, words, _ := strings.Cut(c.want[i], ": ")
			if f.Code != diag.RunUnordered || !strings.HasPrefix(f.String(), "r:"+line+":1: ") || !strings.Contains(f.Message, words) {
				t.Errorf("%s: %s, want %s", c.name, f, c.want[i])
			}
		}
	}
}

// TestCheck checks that [Check] finds the same in a stream as [Findings] in a log, even with void records.
func TestCheck(t *testing.T) {
	whole := write(t, append(story(), Resumed{KeptThrough: 3}, Request{Turn: 1}, Resumed{KeptThrough: 99}, Resumed{KeptThrough: 2}, Result{Call: "x"}, Resumed{KeptThrough: 0}, Result{Call: "y"})...)
	for _, cut := range []int{0, 1, 7, 300, len(whole) / 2} {
		text := whole[:len(whole)-cut]
		log, err := Read(bytes.NewReader(text))
		want := Findings("f", log, err)
		var got []diag.Finding
		count, err := Check("f", bytes.NewReader(text), func(f diag.Finding) { got = append(got, f) })
		if err != nil || count != len(log.Records) || !reflect.DeepEqual(got, want) {
			t.Errorf("cut by %d: %d records, %v\n%v\nwant %d\n%v", cut, count, err, got, len(log.Records), want)
		}
	}
	damaged := bytes.Replace(whole, []byte(`"number":1`), []byte(`"number":2`), 1)
	var got []diag.Finding
	if _, err := Check("f", bytes.NewReader(damaged), func(f diag.Finding) { got = append(got, f) }); err != nil || len(got) != 1 || got[0].Code != diag.RunDamaged {
		t.Errorf("damaged: %v, %v", got, err)
	}
	if _, err := Check("f", struct{ io.ReadSeeker }{failing{bytes.NewReader(whole)}}, func(diag.Finding) {}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// failing is a file whose end cannot be read.
type failing struct{ *bytes.Reader }

func (f failing) Read(p []byte) (int, error) {
	if f.Len() < int(f.Size()) {
		return 0, io.ErrUnexpectedEOF
	}
	return f.Reader.Read(p[:min(len(p), 100)])
}
