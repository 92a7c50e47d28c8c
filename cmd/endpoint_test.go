package cmd

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oneshot/prompts"
)

// answering is a server of the API chat that always gives the same answer.
func answering(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"{\"answer\":\"hello\"}"},"finish_reason":"stop"}]}`)
}

// --ca-file adds a trusted certificate authority. Without it, a run with a server that the authority has certified fails.
func TestCAFile(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(answering))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		flags []string
		code  int
	}{{[]string{"--ca-file", ca}, 0}, {nil, 11}} {
		args := append([]string{"run", "--no-run-file", "--base-url", server.URL + "/v1", "--model", "m"}, tt.flags...)
		env, stdout, stderr := testEnv(append(args, "Go")...)
		env.Prompts = prompts.FS
		code := Main(t.Context(), env)
		if code != tt.code || (code == 0) != (stdout.String() == "{\"answer\":\"hello\"}\n") {
			t.Errorf("%v: exit code %d, stdout %q, stderr:\n%s", tt.flags, code, stdout, stderr)
		}
	}
}

// The credentials of a proxy are sent to the proxy, and masked in all output.
func TestProxy(t *testing.T) {
	var seen *http.Request
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		http.Error(w, "the proxy refuses my-password-here", http.StatusForbidden)
	}))
	defer proxy.Close()
	env, stdout, stderr := testEnv("run", "--no-run-file", "--base-url", "http://model.invalid/v1", "--model", "m", "--output", "envelope",
		"--proxy", "http://me:my-password-here@"+proxy.Listener.Addr().String(), "Go")
	env.Prompts = prompts.FS
	if code := Main(t.Context(), env); code != 4 {
		t.Errorf("exit code %d, stderr:\n%s", code, stderr)
	}
	if seen == nil || seen.Host != "model.invalid" || seen.Header.Get("Proxy-Authorization") == "" {
		t.Errorf("the proxy saw %+v", seen)
	}
	for _, text := range []string{stdout.String(), stderr.String()} {
		if !strings.Contains(text, "refuses ***") || strings.Contains(text, "my-password") {
			t.Errorf("the password is in %s", text)
		}
	}
}
