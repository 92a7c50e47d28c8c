package modelserver

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// start starts a server that plays these scripts and returns its address.
func start(t *testing.T, s *Server, plays ...string) string {
	t.Helper()
	s.Script = map[int]Reply{}
	for i, play := range plays {
		reply, err := ParsePlay("test", play)
		if err != nil {
			t.Fatal(err)
		}
		s.Script[i+1] = reply
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

const (
	streamed = `{"model":"parrot","stream":true}`
	entire   = `{"model":"parrot","stream":false}`
)

// post returns the response to a request, and as much of its body as was
// received.
func post(t *testing.T, url, body string) (*http.Response, string, error) {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res, string(text), err
}

// everything is a script with an item of every kind.
const everything = `
think Let me see.
sign c2lnbmVk
text "I look.\n"
with {"extra":{"thought":"dGhvdWdodA"}}
call c1 search {"query":"apples","limit":12345678901234567890}
call - now
stop`

// TestForms compares the encoding of one reply, whole and streamed, in each
// protocol with a golden file.
func TestForms(t *testing.T) {
	for _, api := range APIs {
		for name, body := range map[string]string{"streamed": streamed, "whole": entire} {
			t.Run(string(api)+" "+name, func(t *testing.T) {
				url := start(t, &Server{}, everything)
				res, text, err := post(t, url+api.Path(), body)
				if err != nil || res.StatusCode != http.StatusOK {
					t.Fatal(res, err)
				}
				golden(t, fmt.Sprintf("%s-%s.txt", api, name), text)
			})
		}
	}
}

// TestFormsAreRead checks that the client's decoders read the reply as it is
// scripted.
func TestFormsAreRead(t *testing.T) {
	for _, api := range APIs {
		for name, body := range map[string]string{"streamed": streamed, "whole": entire} {
			t.Run(string(api)+" "+name, func(t *testing.T) {
				_, text, err := post(t, start(t, &Server{}, everything)+api.Path(), body)
				if err != nil {
					t.Fatal(err)
				}
				d := provider.ProtocolOf(string(api)).NewDecoder(1 << 20)
				calls := 0
				if err := d.Write([]byte(text), func(d chat.Delta) {
					if d.Call != nil {
						calls++
					}
				}); err != nil {
					t.Error(err)
				}
				got, err := d.Close()
				if err != nil || got.Content != "I look.\n" || got.Reasoning != "Let me see." || got.Stop != chat.StopEnd || calls != 2 || len(got.Calls) != 2 {
					t.Fatalf("%v, %d calls, %+v", err, calls, got)
				}
				first, second := got.Calls[0], got.Calls[1]
				if first.Name != "search" || first.ID != "c1" || string(first.Arguments) != `{"query":"apples","limit":12345678901234567890}` || second.Name != "now" {
					t.Errorf("%+v", got.Calls)
				}
				for _, part := range []string{"c2lnbmVk", "dGhvdWdodA"} {
					if (api != Ollama || part != "c2lnbmVk") && (got.Native == nil || !strings.Contains(string(got.Native.Body), part)) {
						t.Errorf("%s is not kept: %+v", part, got.Native)
					}
				}
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		write(t, filepath.Join("testdata", name), got)
	}
	want, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestLikeARealServer checks that the members of our objects are also in
// captured exchanges, except for members that the vendor has and Ollama leaves
// out.
func TestLikeARealServer(t *testing.T) {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Skip("ONESHOT_SHARED does not name the folder with the captures")
	}
	const greeting = "text \"Hello from the scripted model.\\n\"\nstop"
	vendors := []string{
		"ping.type", "message_start.message.stop_reason", "message_start.message.stop_sequence", "message_delta.delta.stop_sequence", "message.stop_sequence",
	}
	for _, tt := range []struct {
		api                 API
		play, body, capture string
	}{
		{Ollama, greeting, streamed, "native_chat_scripted_stream"},
		{Ollama, greeting, entire, "native_chat_scripted_nonstream"},
		{Ollama, `call c get_weather {"city":"Paris"}` + "\nstop", streamed, "native_tools_call_stream"},
		{Ollama, "think Let me reason\ntext Forty-two.\nstop", streamed, "native_think_true_stream"},
		{Chat, greeting, `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`, "v1_chat_stream_usage"},
		{Chat, greeting, entire, "v1_chat_nonstream"},
		{Chat, "pieces 0\n" + `call c get_weather {"city":"Paris"}` + "\nstop", streamed, "v1_tools_call_stream"},
		{Chat, "think Let me reason\ntext Forty-two.\nstop", streamed, "v1_reasoning_stream"},
		{Responses, greeting, streamed, "v1_responses_stream"},
		{Responses, `call c get_weather {"city":"Paris"}` + "\nstop", entire, "v1_responses_tools"},
		{Messages, greeting, streamed, "anthropic_messages_stream"},
		{Messages, greeting, entire, "anthropic_messages"},
	} {
		want, err := os.ReadFile(filepath.Join(shared, "captures", "ollama", tt.capture+".body"))
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := post(t, start(t, &Server{}, tt.play)+tt.api.Path(), tt.body)
		if err != nil {
			t.Fatal(err)
		}
		there := members(t, string(want))
		for path := range members(t, got) {
			if !there[path] && !slices.Contains(vendors, path) {
				t.Errorf("%s: a real server has no %s", tt.capture, path)
			}
		}
	}
}

// members returns the paths of all members of the objects of a body, each
// beginning with the event's type.
func members(t *testing.T, body string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for line := range strings.Lines(body) {
		line = strings.TrimPrefix(line, "data: ")
		if !strings.HasPrefix(line, "{") {
			continue
		}
		root := gjson.Parse(line)
		collect(root.Get("type").String(), root, found)
	}
	if len(found) == 0 {
		t.Fatalf("no object in %s", body)
	}
	return found
}

func collect(path string, value gjson.Result, found map[string]bool) {
	if value.IsObject() {
		value.ForEach(func(key, inner gjson.Result) bool {
			found[path+"."+key.String()] = true
			collect(path+"."+key.String(), inner, found)
			return true
		})
	}
	for _, inner := range value.Array() {
		if value.IsArray() {
			collect(path, inner, found)
		}
	}
}

func TestActions(t *testing.T) {
	for _, tt := range []struct {
		name, play string
		status     int
		want       string // somewhere in the body
	}{
		{"status and header", "status 429\nheader Retry-After: 7\nheader Expires: {in 3s}\nerror slow down", 429, `{"error":{"code":null,"message":"slow down"`},
		{"a fault in the stream", "text hello\nerror no more", 200, "data: {\"error\":{"},
		{"nothing", "", 200, ""},
		{"no clean stop", "text hello", 200, `{"content":"hello"}`},
		{"pieces", "pieces 2\ntext hello\nstop", 200, `{"content":"he"}`},
		{"one piece", "pieces 0\ntext hello, world\nstop", 200, `{"content":"hello, world"}`},
		{"a byte that is no character", "pieces 0\ntext \"caf\\xe9 x\"\nstop", 200, "\"caf\xe9 x\""},
		{"many bytes", "pieces 0\ntext <{10KB}>\nstop", 200, strings.Repeat("x", 10<<10)},
		{"length", "text hello\nstop length", 200, `"finish_reason":"length"`},
		{"a reason of its own", "stop content_filter", 200, `"finish_reason":"content_filter"`},
		{"raw", "raw data: {}\nraw \"\\n\\x00\"", 200, "data: {}\n\n\x00"},
		{"spliced", "text hel\nsplice\ntext hello\nstop", 200, `"id":"chatcmpl-1001"`},
		{"whole", "whole\ntext hello\nstop", 200, `"object":"chat.completion"`},
		{"slowly", "drip 1us\nwait 1us\nraw hello", 200, "hello\n"},
		{"a call that is not finished", `open c1 f {"a`, 200, `"arguments":"{\"a"`},
		{"a comment", "# text no\n\n  text hello  ", 200, "hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := start(t, &Server{}, tt.play)
			res, body, err := post(t, url+Chat.Path(), streamed)
			if err != nil || res.StatusCode != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("error %v, %v, %s", err, res, body)
			}
			soon, _ := http.ParseTime(res.Header.Get("Expires"))
			if tt.status == 429 && (res.Header.Get("Retry-After") != "7" || time.Until(soon) <= time.Second) {
				t.Errorf("headers %v", res.Header)
			}
		})
	}
}

// TestEnds checks that a response can end in every way in which a connection can
// break.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		play string
		body string
		err  error
	}{
		{"text hello\ncut", "hello", io.ErrUnexpectedEOF},
		{"reset", "", syscall.ECONNRESET},
		{"early", "", syscall.ECONNRESET},
		{"socket \"HTTP/1.1 200 OK\\r\\nContent-Length: 9\\r\\n\\r\\nhello\"", "hello", io.ErrUnexpectedEOF},
		{"header Content-Length: 99\nraw hello", "hello", io.ErrUnexpectedEOF},
	} {
		t.Run(tt.play, func(t *testing.T) {
			url := start(t, &Server{}, tt.play)
			_, body, err := post(t, url+Ollama.Path(), streamed)
			if !errors.Is(err, tt.err) || !strings.Contains(body, tt.body) {
				t.Errorf("error %v after %q", err, body)
			}
		})
	}
}

// TestEndless checks that an endless response ends when its client disconnects.
func TestEndless(t *testing.T) {
	for play, want := range map[string]string{"mute 1us": ": keep-alive\n\n: keep-alive\n\n", "text hello\nhang": "data: "} {
		url := start(t, &Server{}, play)
		res, err := http.Post(url+Chat.Path(), "application/json", strings.NewReader(streamed))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", play, got, err)
		}
		res.Body.Close()
	}
}

func TestRecord(t *testing.T) {
	s := &Server{Record: t.TempDir(), Models: []string{"parrot", "owl"}}
	url := start(t, s, "stop", "early")
	for _, body := range []string{entire, entire, `{"model":"nope"}`, entire} {
		_, _, _ = post(t, url+Messages.Path(), body) // only the recorded requests count
	}
	for name, want := range map[string]string{
		"1.json": entire, "1.headers": "POST /v1/messages\nHost: " + url[len("http://"):] + "\nAccept-Encoding: gzip\n", "2.headers": "POST", "3.json": `{"model":"nope"}`,
	} {
		got, err := os.ReadFile(filepath.Join(s.Record, name))
		if err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Record, "2.json")); err == nil {
		t.Error("a body was read before the connection was reset")
	}
}

func TestInformation(t *testing.T) {
	url := start(t, &Server{Models: []string{"parrot"}, Tools: true})
	for path, want := range map[string]string{"/api/tags": `"name":"parrot"`, "/v1/models": `"id":"parrot"`, "/models": `"id":"parrot"`} {
		res, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !bytes.Contains(body, []byte(want)) {
			t.Errorf("%s: %v, %s", path, err, body)
		}
	}
	for body, want := range map[string]string{`{"model":"parrot:latest"}`: `"completion","tools"`, `{"model":"nope"}`: "model 'nope' not found"} {
		if _, got, err := post(t, url+"/api/show", body); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %s", body, err, got)
		}
	}
	for _, api := range APIs {
		if res, got, err := post(t, url+api.Path(), streamed); err != nil || res.StatusCode != http.StatusUnauthorized || !strings.Contains(got, "no reply") {
			t.Errorf("%s: %v, %s", api, err, got)
		}
	}
}

func TestPage(t *testing.T) {
	url := start(t, &Server{Models: []string{"parrot"}}, "status 206\nheader Content-Type: text/plain\nraw half")
	res, err := http.Get(url + "/some/page")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != "half\n" || res.StatusCode != http.StatusPartialContent || res.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("%v, %v, %q", err, res, body)
	}
}

func TestAnswer(t *testing.T) {
	url := start(t, &Server{Answer: func(r Request) Reply { return Text(fmt.Sprint(r.API, r.Number, len(r.Body))) }})
	if _, got, err := post(t, url+Responses.Path(), entire); err != nil || !strings.Contains(got, `"text":"responses1 33"`) {
		t.Errorf("%v, %s", err, got)
	}
}

func TestReadScript(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"1-2.length": "hel", "3.cut": "hel", "4.hang": "hel", "5.raw": "hel", "6.play": "text ADDRESS\nstop", "7.http": "503 no\nRetry-After: 1\n\nADDRESS\n",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	script, err := ReadScript(dir, "here:80")
	if err != nil || len(script) != 7 {
		t.Fatal(script, err)
	}
	url := start(t, &Server{Answer: func(r Request) Reply { return script[r.Number+5] }})
	if _, got, err := post(t, url+Chat.Path(), entire); err != nil || !strings.Contains(got, `"content":"here:80"`) {
		t.Errorf("%v, %s", err, got)
	}
	if res, got, err := post(t, url+Chat.Path(), entire); err != nil || res.StatusCode != 503 || got != "here:80" || res.Header.Get("Retry-After") != "1" {
		t.Errorf("%v, %s", err, got)
	}
}

func TestReadScriptRefuses(t *testing.T) {
	for name, content := range map[string]string{
		"x.txt": "", "0.txt": "", "2-1.txt": "", "1-100.txt": "", "1.gif": "", "1.http": "abc", "2.http": "200\nno header", "1.play": "dance", "2.play": "hang now", "3.play": "wait long",
		"4.play": `text "open`, "5.play": "with [1]", "6.play": "call c1", "7.play": "header x", "8.play": "status ok", "9.play": "pieces few",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, name)
		write(t, file, content)
		_, err := ReadScript(dir, "")
		var fault *ScriptError
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if _, err := ReadScript(dir, ""); err == nil {
		t.Error("a script without a reply was read")
	}
	write(t, filepath.Join(dir, "1.txt"), "")
	write(t, filepath.Join(dir, "1-2.raw"), "")
	if _, err := ReadScript(dir, ""); err == nil {
		t.Error("two replies to a request were read")
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
