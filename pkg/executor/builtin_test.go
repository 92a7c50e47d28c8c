package executor

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/netguard"
	"oneshot/pkg/tool"
)

// newRoot makes a root with these files.
func newRoot(t testing.TB, content map[string]string) *fileroot.Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return openRoot(t, dir)
}

func openRoot(t testing.TB, dir string) *fileroot.Root {
	t.Helper()
	root, err := fileroot.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// builtin runs a built-in tool with JSON arguments.
func builtin(ctx context.Context, env Env, name, args string) (chat.Result, error) {
	return env.builtins()[name](ctx, task{def: &tool.Definition{Name: name, Builtin: name, Effect: tool.Exec}, args: json.RawMessage(args), maxResult: defaultMaxBytes})
}

// call runs a built-in tool and fails the test on an error.
func call(t testing.TB, env Env, name, args string) chat.Result {
	t.Helper()
	result, err := builtin(context.Background(), env, name, args)
	if err != nil {
		t.Fatalf("%s(%s): %v", name, args, err)
	}
	return result
}

// data decodes the data of a result.
func data[T any](t testing.TB, r chat.Result) T {
	t.Helper()
	var v T
	if !r.OK() {
		t.Fatalf("not ok: %+v", r.Error)
	}
	if err := json.Unmarshal(r.Data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func wantError(t testing.TB, r chat.Result, code chat.ErrorCode, words string) {
	t.Helper()
	if r.Error == nil || r.Error.Code != code || !strings.Contains(r.Error.Message, words) {
		t.Errorf("result %s, %+v; want %s with %q", r.Data, r.Error, code, words)
	}
}

func TestBuiltinNames(t *testing.T) {
	got := slices.Sorted(maps.Keys(Env{}.builtins()))
	want := slices.Sorted(slices.Values(tool.BuiltinNames()))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-names +functions:\n%s", diff)
	}
}

// T13: built-in tools reject invalid arguments themselves, even if a definition wrongly allows them.
func TestBuiltinsDecodeStrictly(t *testing.T) {
	env := Env{Root: newRoot(t, nil), Client: http.DefaultClient, Chat: io.Discard}
	for name, args := range map[string][]string{
		Wget:        {`{"uri":1}`, `{"uri":"http://x.test/","timeoutMs":"5"}`, `{"uri":"http://x.test/","timeoutMs":0}`, `{"uri":"http://x.test/","timeoutMs":600001}`, `{"uri":"http://x.test/","timeoutMs":1.5}`, `{"uri":"http://x.test/","timeoutMs":1e400}`, `{"uri":"ftp://x.test/"}`, `{"uri":"http://a@x.test/"}`, `{}`},
		VaultSearch: {`{"query":null,"limit":"3"}`, `{"query":"a","limit":0}`, `{"query":"a","limit":-1}`, `{"query":"a","limit":null}`, `{"QUERY":"a"}`},
		FileRead:    {`{"filePaths":"a.md"}`, `{"filePaths":[1]}`, `{"filepaths":[]}`},
		FilePut:     {`{"path":"a","PATH":"b","content":""}`, `{"path":"a","path":"b","content":""}`, `{"path":"a","content":1}`, `[]`},
		SendChat:    {`{"content":"a"} {}`, `{"content":"a","to":"b"}`, ``},
	} {
		for _, a := range args {
			wantError(t, call(t, env, name, a), chat.InvalidArguments, "")
		}
	}
}

// V1, V2, M4: file tools report a missing root.
func TestNoRoot(t *testing.T) {
	for name, args := range map[string]string{VaultSearch: `{"query":"a"}`, FileRead: `{"filePaths":["a"]}`, FilePut: `{"path":"a","content":"b"}`} {
		wantError(t, call(t, Env{}, name, args), chat.Denied, "--root")
	}
	wantError(t, call(t, Env{}, Wget, `{"uri":"http://x.test/"}`), chat.Denied, "no network")
	wantError(t, call(t, Env{}, SendChat, `{"content":"a"}`), chat.Failed, "no messages")
}

// V1 on the demo vault.
func TestSearchDemo(t *testing.T) {
	env := Env{Root: openRoot(t, "../../prompts/demo/vault")}
	got := data[[]hit](t, call(t, env, VaultSearch, `{"query":"RELEASE"}`))
	var order []string
	for _, h := range got {
		order = append(order, h.Path)
	}
	want := []string{"Meetings/2026-10-02 Release.md", "Kitchen/Basil pesto.md", "Meetings/2026-09-04 Kick-off.md", "Meetings/2026-09-18 Review.md"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// V1: matches in names precede matches in content, and the results have previews and a limit.
func TestSearch(t *testing.T) {
	long := strings.Repeat("ä", 150)
	env := Env{Root: newRoot(t, map[string]string{
		"z/Fan noise.md":   "Nothing of it here. " + strings.Repeat("x", 300),
		"a/cooling.MD":     long + "FAN" + long + " fan",
		"a/short.md":       "the fan",
		"a/edge.md":        strings.Repeat("b", 100) + "fan" + strings.Repeat("c", 100),
		"fan.txt":          "fan",
		"fan.md/inside.md": "no",
		".obsidian/fan.md": "fan",
		"kelvin.md":        "100 \u212a; STRA\u1e9eE; \xff \u03c2",
	})}
	unsearched := hit{Preview: "[not searched: 1 files that are larger than 1 MiB, not UTF-8 text, or unreadable]"}
	for _, c := range []struct {
		args string
		want []hit
	}{
		{`{"query":"fan"}`, []hit{
			{"z/Fan noise.md", "Fan noise", 1, "Nothing of it here. " + strings.Repeat("x", 180)},
			{"a/cooling.MD", "cooling", 2, "..." + strings.Repeat("ä", 100) + "FAN" + strings.Repeat("ä", 100) + "..."},
			{"a/edge.md", "edge", 1, strings.Repeat("b", 100) + "fan" + strings.Repeat("c", 100)},
			{"a/short.md", "short", 1, "the fan"},
			unsearched, // kelvin.md is not UTF-8 text
		}},
		{`{"query":"fan","limit":2.0}`, []hit{
			{"z/Fan noise.md", "Fan noise", 1, "Nothing of it here. " + strings.Repeat("x", 180)},
			{"a/cooling.MD", "cooling", 2, "..." + strings.Repeat("ä", 100) + "FAN" + strings.Repeat("ä", 100) + "..."},
		}},
		{`{"query":"k; straße; \ufffd Σ"}`, []hit{{"kelvin.md", "kelvin", 1, "100 \u212a; STRA\u1e9eE; \ufffd \u03c2"}}},
		{`{"query":"FA.N"}`, []hit{unsearched}},
		{`{"query":"","limit":1}`, []hit{{"a/cooling.MD", "cooling", 1, long + "FAN" + strings.Repeat("ä", 47)}}},
	} {
		got := data[[]hit](t, call(t, env, VaultSearch, c.args))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
}

// V1: files whose names cannot be used as paths are counted.
func TestSearchCountsUnnamed(t *testing.T) {
	env := Env{Root: newRoot(t, map[string]string{"plan.md": "", "a: b.md": "", "c: d/e.md": "", "f: g.txt": "", ".h: i.md": ""})}
	got := data[[]hit](t, call(t, env, VaultSearch, `{"query":"plan","limit":1}`))
	want := []hit{{"plan.md", "plan", 1, ""}, {Preview: "[skipped: 2 files or folders whose names cannot be used as paths]"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// V1: files whose content is not searched are counted.
func TestSearchCountsUnsearched(t *testing.T) {
	large := strings.Repeat("x", maxFileBytes) + " plan"
	env := Env{Root: newRoot(t, map[string]string{"a.md": "a plan", "large.md": large, "plan of a large one.md": large, "large.txt": large,
		"latin1.md": "pl\xe4n", "utf16.md": "p\x00l\x00a\x00n\x00\xff"})}
	got := data[[]hit](t, call(t, env, VaultSearch, `{"query":"plan"}`))
	want := []hit{{"plan of a large one.md", "plan of a large one", 1, ""}, {"a.md", "a", 1, "a plan"}, {Preview: "[not searched: 3 files that are larger than 1 MiB, not UTF-8 text, or unreadable]"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// V1: a limit over 50 is 50; without a limit there are 10.
func TestSearchLimits(t *testing.T) {
	content := map[string]string{}
	for i := range 60 {
		content[strings.Repeat("n", i+1)+".md"] = "word"
	}
	env := Env{Root: newRoot(t, content)}
	for args, want := range map[string]int{`{"query":"word"}`: 10, `{"query":"n","limit":50}`: 50, `{"query":"word","limit":51}`: 50, `{"query":"n","limit":1e9}`: 50} {
		if got := data[[]hit](t, call(t, env, VaultSearch, args)); len(got) != want {
			t.Errorf("%s: %d hits, want %d", args, len(got), want)
		}
	}
}

// checkPreview checks that a preview is short and contains the query, and that folding
// keeps the number of characters.
func checkPreview(t *testing.T, text, query string) {
	folded, q := fileroot.FoldCase(text), fileroot.FoldCase(query)
	p := matchPreview(text, folded, q)
	if len([]rune(folded)) != len([]rune(text)) {
		t.Errorf("folding %q changes the number of characters", text)
	}
	if n := len([]rune(p)); n > max(previewOpening, 2*previewContext+len([]rune(q))+6) {
		t.Errorf("a preview of %d characters", n)
	}
	if query != "" && strings.Contains(folded, q) && !strings.Contains(fileroot.FoldCase(p), q) {
		t.Errorf("%q is in %q, and not in the preview %q", query, text, p)
	}
}

// FuzzArguments checks previews and escaped URLs for any text.
func FuzzArguments(f *testing.F) {
	f.Add("the fan and the FAN", "fan")
	f.Add("ﬀ İstanbul ẞ \xff\xfe K", "ß")
	for _, address := range oddURLs {
		f.Add(address, "x")
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		checkPreview(t, text, query)
		checkPlainURL(t, text)
	})
}

// V2, V9: a missing or unreadable file is a partial result.
func TestFileRead(t *testing.T) {
	env := Env{Root: newRoot(t, map[string]string{"a.md": "Käse", "b/c.md": "", "large.md": strings.Repeat("x", maxFileBytes+1), "latin1.md": "K\xe4se"})}
	got := data[[]fileContent](t, call(t, env, FileRead, `{"filePaths":["a.md","none.md","b","../x","large.md","latin1.md","./b/c.md"]}`))
	want := []fileContent{
		{"a.md", "Käse", 5, ""},
		{"none.md", "File not found: none.md", 0, ""},
		{"b", "Error reading file: it is a folder", 0, ""},
		{"../x", `Error reading file: the path contains "." or ".."`, 0, ""},
		{"large.md", "Error reading file: it is larger than 1048576 bytes", 0, ""},
		{"latin1.md", "Error reading file: it is not UTF-8 text", 0, ""},
		{"./b/c.md", "", 0, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	latin1 := data[[]fileContent](t, call(t, env, FileRead, `{"filePaths":["latin1.md"],"digest":true}`))
	if latin1[0].Digest != "" {
		t.Errorf("a file that was not read has the digest %s", latin1[0].Digest)
	}
	if r := call(t, env, FileRead, `{"filePaths":[]}`); string(r.Data) != "[]" {
		t.Errorf("no paths: %s", r.Data)
	}
}

func TestFileReadIsBounded(t *testing.T) {
	env := Env{Root: newRoot(t, map[string]string{"x": strings.Repeat("x", maxFileBytes)})}
	wide := task{args: json.RawMessage(`{"filePaths":["x","x","x","x","x","x","x","x","x","x"]}`), maxResult: 2 * maxFilesBytes}
	r, err := env.builtins()[FileRead](t.Context(), wide)
	if err != nil {
		t.Fatal(err)
	}
	got := data[[]fileContent](t, r)
	if len(got) != 10 || got[6].Size != maxFileBytes || got[7].Size != 0 || got[7].Content != noRoomText {
		t.Errorf("%d files, sizes %d, %d", len(got), got[6].Size, got[7].Size)
	}
}

// M4, M10: file_put writes a file, and refuses paths outside the root and protected names.
func TestFilePut(t *testing.T) {
	env := Env{Root: newRoot(t, map[string]string{"link/x": ""})}
	r := call(t, env, FilePut, `{"path":"out/a.md","content":"Käse\n"}`)
	if string(r.Data) != `{"path":"out/a.md","bytes":6}` {
		t.Errorf("%s, %+v", r.Data, r.Error)
	}
	if got, err := env.Root.Read("out/a.md", 100); err != nil || string(got) != "Käse\n" {
		t.Errorf("%q, %v", got, err)
	}
	for args, code := range map[string]chat.ErrorCode{
		`{"path":"../a","content":""}`:        chat.Denied,
		`{"path":"/etc/x","content":""}`:      chat.Denied,
		`{"path":".git/config","content":""}`: chat.Denied,
		`{"path":"out","content":""}`:         chat.Conflict,
		`{"path":"out/a.md/b","content":""}`:  chat.NotFound,
	} {
		wantError(t, call(t, env, FilePut, args), code, "")
	}
	if r := pathFailure(&fileroot.PathError{Kind: fileroot.TooLarge}); r.Error.Code != chat.TooLarge {
		t.Errorf("too large: %+v", r.Error)
	}
}

// M4: a message is shown at once, with control characters escaped.
func TestSendChat(t *testing.T) {
	var out strings.Builder
	env := Env{Chat: &out}
	for _, args := range []string{`{"content":"Hello,\n\tworld\n"}`, `{"content":"\u001b[2J\r\u0007 \u202eabc 👨\u200d👩"}`, `{"content":""}`} {
		if r, err := builtin(context.Background(), env, SendChat, args); err != nil || string(r.Data) != `{"shown":true}` {
			t.Errorf("%s, %+v, %v", r.Data, r.Error, err)
		}
	}
	want := "Hello,\n\tworld\n" + `\u001b[2J\u000d\u0007 \u202eabc ` + "👨\u200d👩\n\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r, err := builtin(context.Background(), Env{}, SendChat, `{"content":"x"}`)
	if err != nil || r.Error == nil || r.Error.Message != "this run shows no messages" {
		t.Errorf("a message that nobody sees: %s, %+v, %v", r.Data, r.Error, err)
	}
	if _, err := builtin(context.Background(), Env{Chat: brokenPipe{}}, SendChat, `{"content":"x"}`); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("a message that could not be shown: %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// site starts a server, and returns its URL and an environment whose client may reach it.
func site(t *testing.T, h http.HandlerFunc) (Env, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	at, err := netguard.ParseHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	client := netguard.NewClient(netguard.Options{AllowHosts: []netguard.HostPort{at}, MaxBodyBytes: 1000})
	t.Cleanup(client.CloseIdleConnections)
	return Env{Client: client}, server.URL
}

// T11: wget returns the text of pages.
func TestWgetContent(t *testing.T) {
	for _, c := range []struct{ name, contentType, body, want string }{
		{"plain", "text/plain; charset=utf-8", "Käse", "Käse"},
		{"byte order mark", "text/html", "\ufeff<p>", "<p>"},
		{"empty", "text/plain", "", ""},
		{"json", "application/json", `{"a":1.50}`, `{"a":1.50}`},
		{"feed", "application/atom+xml", "<feed/>", "<feed/>"},
		{"latin-1", "text/html; charset=ISO-8859-1", "K\xe4se", "Käse"},
		{"latin-1 and a mark", "text/html; charset=ISO-8859-1", "\ufeffKäse", "Käse"},
		{"utf-16", "text/plain; charset=utf-16", "\xff\xfeK\x00\xe4\x00", "Kä"},
		{"unknown charset", "text/html; charset=shift_jis", "K\xe4se", "K\ufffdse\n[1 bytes that are not UTF-8 were replaced by \ufffd; the page's charset: shift_jis]"},
		{"unknown charset, not needed", "text/html; charset=gbk", "just words", "just words"},
		{"no charset", "text/plain", "\xff\xfe\xfd", "\ufffd\ufffd\ufffd\n[3 bytes that are not UTF-8 were replaced by \ufffd; the page's charset: not given]"},
		{"image", "image/png", "\x89PNG", "[image/png, 4 bytes: not shown, because it is not text]"},
		{"large image", "image/png", strings.Repeat("x", 1001), "[image/png, 1001 bytes: not shown, because it is not text]"},
		{"no type, text", "", "just words", "just words"},
		{"no type, binary", "", "\x00\x01\x02", "[application/octet-stream, 3 bytes: not shown, because it is not text]"},
		{"bad type", "///", "just words", "just words"},
		{"large", "text/plain", strings.Repeat("x", 1001), strings.Repeat("x", 1000) + "\n[cut here: 1000 of 1001 bytes were read]"},
	} {
		env, base := site(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.UserAgent() != "oneshot" {
				t.Errorf("%s: %s by %q", c.name, r.Method, r.UserAgent())
			}
			w.Header()["Content-Type"] = []string{c.contentType}
			if c.contentType == "" {
				w.Header()["Content-Type"] = nil
			}
			io.WriteString(w, c.body)
		})
		got := data[string](t, call(t, env, Wget, `{"uri":"`+base+`/x","timeoutMs":5000}`))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// T11: the note about a truncated body has its size, as far as it is known, also after
// the result was truncated.
func TestWgetLarge(t *testing.T) {
	whole := strings.Repeat("x", maxPage+1000)
	for _, c := range []struct {
		name  string
		known bool
		note  string
	}{
		{"size known", true, "\n[cut here: 1047552 of 1048552 bytes were read]"},
		{"size unknown", false, "\n[cut here: 1047552 of more than 1047552 bytes were read]"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			if c.known {
				w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
			}
			_, _ = io.WriteString(w, whole) // fails if the client has closed the connection
		}))
		defer server.Close()
		result := call(t, Env{Client: server.Client()}, Wget, `{"uri":"`+server.URL+`"}`)
		for _, r := range []chat.Result{result, limitSize(result, defaultMaxBytes)} {
			if got := data[string](t, r); got != whole[:maxPage]+c.note {
				t.Errorf("%s: %d bytes, ending %q", c.name, len(got), got[len(got)-100:])
			}
		}
		if got := data[string](t, limitSize(result, 100)); !strings.HasSuffix(got, "\n[cut here: 100 of the tool's "+strconv.Itoa(maxPage+len(c.note))+" bytes are shown]") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// T11: an HTTP error is a failure with a code and a message.
func TestWgetStatus(t *testing.T) {
	for status, want := range map[int]struct {
		code chat.ErrorCode
		text string
	}{
		300: {chat.Failed, "HTTP 300 Multiple Choices: no such page here"},
		302: {chat.Failed, "HTTP 302 Found: no such page here"}, // without a Location header
		304: {chat.Failed, "HTTP 304 Not Modified"},
		400: {chat.Failed, "HTTP 400 Bad Request: no such page here"},
		401: {chat.Unauthorized, "HTTP 401 Unauthorized: "},
		403: {chat.Unauthorized, "HTTP 403 Forbidden: "},
		404: {chat.NotFound, "HTTP 404 Not Found: no such page here"},
		409: {chat.Conflict, "HTTP 409 Conflict: "},
		412: {chat.Conflict, "HTTP 412 Precondition Failed: "},
		413: {chat.TooLarge, "HTTP 413 Request Entity Too Large: "},
		410: {chat.NotFound, "HTTP 410 Gone: "},
		429: {chat.RateLimited, "HTTP 429 Too Many Requests: "},
		500: {chat.Failed, "HTTP 500 Internal Server Error: "},
		503: {chat.Unavailable, "HTTP 503 Service Unavailable: "},
	} {
		env, base := site(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(status)
			io.WriteString(w, "no such\n  page here "+strings.Repeat("ä", 300))
		})
		r := call(t, env, Wget, `{"uri":"`+base+`"}`)
		wantError(t, r, want.code, want.text)
		if n := len([]rune(r.Error.Message)); n > 260 || r.Error.Retryable != want.code.Doc().Retryable {
			t.Errorf("%d: %d characters, retryable %v", status, n, r.Error.Retryable)
		}
	}
}

// T11: failures of requests without a response, and of refused requests.
func TestWgetRefusals(t *testing.T) {
	env, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-r.Context().Done()
			return
		}
		if r.URL.Path == "/packed" {
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "\x0b\x02\x80hello\x03")
			return
		}
		http.Redirect(w, r, "http://127.0.0.1/", http.StatusFound)
	})
	wantError(t, call(t, env, Wget, `{"uri":"`+base+`/slow","timeoutMs":50}`), chat.Timeout, "within 50 ms")
	wantError(t, call(t, env, Wget, `{"uri":"`+base+`/packed"}`), chat.Failed, `content encoding "br"`)
	wantError(t, call(t, env, Wget, `{"uri":"`+base+`/away"}`), chat.Denied, "loopback")
	wantError(t, call(t, env, Wget, `{"uri":"http://169.254.169.254/latest"}`), chat.Denied, "link-local")
	wantError(t, call(t, env, Wget, `{"uri":"file:///etc/passwd"}`), chat.InvalidArguments, "http://")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	at, err := netguard.ParseHostPort(strings.TrimPrefix(gone.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	env.Client = netguard.NewClient(netguard.Options{AllowHosts: []netguard.HostPort{at}})
	wantError(t, call(t, env, Wget, `{"uri":"`+gone.URL+`"}`), chat.Unavailable, "refused")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := builtin(ctx, env, Wget, `{"uri":"`+base+`"}`); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Failures shown to a model contain no address of this machine or its name servers.
func TestWgetFailuresNameNoMachine(t *testing.T) {
	here, there := &net.TCPAddr{IP: net.IPv4(10, 9, 8, 7), Port: 40123}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
	for want, err := range map[string]error{
		"connection reset":   &net.OpError{Op: "read", Net: "tcp", Source: here, Addr: there, Err: errors.New("connection reset")},
		"no such host":       &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "x.test", Server: "10.9.8.7:53", IsNotFound: true}},
		"in time":            &net.DNSError{Err: "read udp 10.9.8.7:40124->10.9.8.7:53: i/o timeout", Name: "x.test", Server: "10.9.8.7:53", IsTimeout: true},
		"cannot be resolved": &net.DNSError{Err: "dial udp 10.9.8.7:40124->10.9.8.7:53: unreachable", Name: "x.test", Server: "10.9.8.7:53"},
	} {
		for _, body := range []bool{false, true} {
			client := http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if !body {
					return nil, err
				}
				return &http.Response{StatusCode: 200, Body: io.NopCloser(iotest.ErrReader(err)), Request: r}, nil
			})}
			r := call(t, Env{Client: &client}, Wget, `{"uri":"http://x.test/"}`)
			wantError(t, r, chat.Unavailable, want)
			if m := r.Error.Message; strings.Contains(m, "10.9.8.7") || !strings.Contains(m, "x.test") {
				t.Errorf("%s", m)
			}
		}
	}
}

func TestSearchAndReadStop(t *testing.T) {
	env := Env{Root: newRoot(t, map[string]string{"a.md": "x"})}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, args := range map[string]string{VaultSearch: `{"query":"x"}`, FileRead: `{"filePaths":["a.md"]}`} {
		if _, err := builtin(ctx, env, name, args); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The timeoutMs argument of wget limits the time of a call.
func TestWgetTimeLimitIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		begin := time.Now()
		wantError(t, call(t, Env{Client: &never}, Wget, `{"uri":"http://x.test/","timeoutMs":2000}`), chat.Timeout, "2000 ms")
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
