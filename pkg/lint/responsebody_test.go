package lint

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
)

// texts returns the inputs of all dialect cases that JSON strings can represent.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := caseInputs(t)
	maps.DeleteFunc(all, func(_, text string) bool { return !utf8.ValidString(text) })
	return all
}

// wrapped returns a body with the text as its content, in one string.
func wrapped(t *testing.T, text string) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"message": map[string]string{"role": "assistant", "content": text}, "done": true, "done_reason": "stop"})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// A text gives the same result inside a server's body, with the same spans.
func TestTextInBody(t *testing.T) {
	protocol := provider.ProtocolNamed("native_ollama_chat")
	for file, text := range texts(t) {
		plain, body := asText("x", []byte(text), Options{}), wrapped(t, text)
		r := response("x", body, Options{Protocol: protocol})
		alike := cmp.Options{cmpopts.IgnoreFields(Call{}, "Span", "positionalPaths"), cmpopts.IgnoreUnexported(Call{})}
		if diff := cmp.Diff(plain.Calls, r.Calls, alike); diff != "" {
			t.Errorf("%s: calls (-text +body)\n%s", file, diff)
		}
		if plain.Content != r.Content || plain.Reasoning != r.Reasoning {
			t.Errorf("%s: content %q and reasoning %q, and in a body %q and %q", file, plain.Content, plain.Reasoning, r.Content, r.Reasoning)
		}
		found := slices.DeleteFunc(r.Findings, func(f diag.Finding) bool { return f.Code == diag.CallInText })
		if len(found) != len(plain.Findings) {
			t.Errorf("%s: %d findings, and in a body %d", file, len(plain.Findings), len(found))
			continue
		}
		for i, f := range plain.Findings {
			if g := found[i]; g.Code != f.Code || f.Code != diag.DuplicateCall && g.Message != f.Message || g.Severity != f.Severity {
				t.Errorf("%s: %v, and in a body %v", file, f, g)
			} else if marked := innerText(t, string(body[g.Span.Start:g.Span.End])); marked != text[f.Span.Start:f.Span.End] && f.Span.End > f.Span.Start {
				t.Errorf("%s: %v marks %q, and in a body %q", file, f, text[f.Span.Start:f.Span.End], marked)
			}
			checkFixes(t, file, text, body, f.Fixes, found[i].Fixes)
		}
	}
}

// checkFixes checks that a fix changes a text in a body just as it changes the text.
func checkFixes(t *testing.T, file, text string, body []byte, plain, moved []diag.Fix) {
	t.Helper()
	if len(plain) != len(moved) {
		t.Errorf("%s: %d fixes, and in a body %d", file, len(plain), len(moved))
		return
	}
	for i, x := range plain {
		var m struct{ Message chat.Message }
		if err := json.Unmarshal([]byte(edited(string(body), moved[i].Edits)), &m); err != nil {
			t.Errorf("%s: %q leaves no JSON: %v", file, x.Title, err)
		} else if want := edited(text, x.Edits); m.Message.Content != want {
			t.Errorf("%s: %q makes %q, and in a body %q", file, x.Title, want, m.Message.Content)
		}
	}
}

// edited applies the edits of one fix.
func edited(text string, edits []diag.Edit) string {
	for _, e := range slices.Backward(edits) {
		text = text[:e.Start] + e.New + text[e.End:]
	}
	return text
}

// A call that a server left in the text is recognized regardless of chunking, and that does not
// count as a repair.
func TestCallInTextIsKnownAgain(t *testing.T) {
	const text = `<tool_call>{\"name\": \"note\", \"arguments\": {\"text\": \"x\",}}</tool_call>`
	var all []string
	for _, at := range []int{0, 11, 20} {
		src := []byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"a\",\"arguments\":\"{}\"}}]}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{\"content\":\"" + text[:at] + "\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"" + text[at:] + "\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n")
		r := response("x", src, Options{})
		i := slices.IndexFunc(r.Findings, func(f diag.Finding) bool { return f.Code == diag.CallInText })
		if i < 0 || r.Findings[i].Call == nil || *r.Findings[i].Call != 1 {
			t.Fatalf("cut at %d: %+v", at, r.Findings)
		}
		if slices.Contains(r.Calls[1].Repairs, diag.CallInText) || len(r.Calls[1].Repairs) == 0 {
			t.Errorf("cut at %d: repairs %v", at, r.Calls[1].Repairs)
		}
		all = append(all, fingerprints(string(src)).Entry(r.Findings[i], r.Calls).Fingerprint)
	}
	if len(slices.Compact(all)) != 1 {
		t.Errorf("fingerprints %q", all)
	}
}

// Chunking does not change the calls of a text or the first character of each finding.
func TestTextInPieces(t *testing.T) {
	for file, text := range texts(t) {
		plain := asText("x", []byte(text), Options{})
		body, at := streamed(t, text)
		protocol := provider.DetectProtocol(body)
		if protocol == nil || protocol.Name != "native_openai_chat" {
			t.Fatalf("%s: the stream is detected as %+v", file, protocol)
		}
		r := response("x", body, Options{Protocol: protocol})
		alike := cmp.Options{cmpopts.IgnoreFields(Call{}, "Span"), cmpopts.IgnoreUnexported(Call{})}
		if diff := cmp.Diff(plain.Calls, r.Calls, alike); diff != "" {
			t.Errorf("%s: calls (-text +body)\n%s", file, diff)
		}
		found := slices.DeleteFunc(r.Findings, func(f diag.Finding) bool { return f.Code == diag.CallInText })
		if len(found) != len(plain.Findings) {
			t.Errorf("%s: %d findings, and in a body %d", file, len(plain.Findings), len(found))
			continue
		}
		for i, f := range plain.Findings {
			if start := f.Span.Start; start < len(text) && found[i].Span.Start != at[start] {
				t.Errorf("%s: %v begins at %d of the body, and should at %d", file, f, found[i].Span.Start, at[start])
			}
			for j, x := range f.Fixes {
				d := protocol.NewDecoder(1 << 20)
				_ = d.Write([]byte(edited(string(body), found[i].Fixes[j].Edits)), nil) // Close returns the error again
				if resp, err := d.Close(); err != nil || resp.Content != edited(text, x.Edits) {
					t.Errorf("%s: %q makes %q, and in a stream %q (%v)", file, x.Title, edited(text, x.Edits), resp.Content, err)
				}
			}
		}
	}
}

// streamed returns a text as an event stream of small chunks, and for each byte the offset of its
// character in the body.
func streamed(t *testing.T, text string) (body []byte, at []int) {
	t.Helper()
	const before, behind = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"`, "\"}}]}\n\n"
	for i, r := range text {
		switch {
		case i == 0:
			body = append(body, before...)
		case len(at)%5 == 0:
			body = append(append(body, behind...), before...)
		}
		for range utf8.RuneLen(r) {
			at = append(at, len(body))
		}
		quoted := strconv.AppendQuoteToASCII(nil, string(r))
		if r < ' ' || r > '~' {
			var err error
			if quoted, err = json.Marshal(string(r)); err != nil {
				t.Fatal(err)
			}
		}
		body = append(body, quoted[1:len(quoted)-1]...)
	}
	if text == "" {
		body = append(body, before...)
	}
	body = append(body, behind...)
	return append(body, `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"...), at
}
