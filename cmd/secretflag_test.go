package cmd

import (
	"context"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/agent"
	"oneshot/pkg/tool"
)

func TestIsFor(t *testing.T) {
	for hosts, want := range map[string]map[string]bool{
		"":                  {"https://anywhere.test/": true},
		"api.example.com":   {"https://api.example.com/v1": true, "http://API.example.com.:8080": true, "https://x.api.example.com": false, "https://example.com": false, "https://api.example.com.evil.test": false},
		"*.example.com":     {"https://api.example.com": true, "https://a.b.example.com": true, "https://example.com": false, "https://evilexample.com": false},
		"a.test:8443,[::1]": {"https://a.test:8443": true, "https://a.test": false, "http://[::1]:80": true, "http://[::2]": false},
		"b.test:443":        {"https://b.test": true, "http://b.test": false},
	} {
		var c credential
		if hosts != "" {
			var ok bool
			if c.hosts, ok = parseHosts(hosts); !ok {
				t.Fatalf("%s is refused", hosts)
			}
		}
		for raw, want := range want {
			u, err := url.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.isFor(u); got != want {
				t.Errorf("%q for %s: %v", hosts, raw, got)
			}
		}
	}
	for _, bad := range []string{"", ",", "a,", "a/b", "https://a", "u@a", "a b", "*", "a.*", "a?b"} {
		if hosts, ok := parseHosts(bad); ok {
			t.Errorf("parseHosts(%q) = %q", bad, hosts)
		}
	}
}

// A definition may come from anybody: it cannot send a secret in clear text, unless --secret names the host with its port, or
// the host is this machine.
func TestSecretInClear(t *testing.T) {
	for address, want := range map[string]map[string]string{ // hosts of the secret to words of the error, "" for none
		"https://api.example.com":      {"": "", "api.example.com": ""},
		"http://api.example.com":       {"": "unencrypted", "api.example.com": "unencrypted", "*.example.com": "unencrypted", "api.example.com:443": "is for", "api.example.com:80": "", "a.test:80,api.example.com": "unencrypted"},
		"http://api.example.com:8080":  {"api.example.com": "unencrypted", "*.example.com:8080": "", "api.example.com:80": "is for"},
		"https://api.example.com:8080": {"api.example.com": "", "api.example.com:443": "is for"},
		"http://127.0.0.1:8080":        {"": "", "127.0.0.1": ""},
		"http://LOCALHOST.:8080":       {"": "", "localhost": ""},
		"http://[::1]:8080":            {"[::1]": ""},
		"http://[2606:4700::1]":        {"[2606:4700::1]": "unencrypted", "[2606:4700::1]:80": ""},
	} {
		for hosts, words := range want {
			c := credential{name: "A", value: "abcdefgh"}
			if hosts != "" {
				c.hosts, _ = parseHosts(hosts)
			}
			o := secretStore{"A": c}
			_, err := o.forTools([]*tool.Definition{{Name: "t", HTTP: &tool.Request{Origin: address, Secrets: []string{"A"}}}})
			if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
				t.Errorf("%s for %q: %v, want %q", address, hosts, err, words)
			}
		}
	}
}

// A secret from a file loses one line break.
func TestSecretFile(t *testing.T) {
	for text, want := range map[string]string{"key": "key", "key\n": "key", "key\r\n": "key", "key\n\n": "key\n", "key\r": "key\r", " key \n": " key "} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := secretSource{"file", path, 0}.read(t.Context(), Env{}, nil)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// A program that exceeds its own time limit, or that of the run, is ended.
func TestSecretCommandWaits(t *testing.T) {
	env := Env{Stderr: io.Discard, Stdout: io.Discard, Getenv: func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }}
	begin := time.Now()
	_, err := secretSource{"command", "sleep 600", 50 * time.Millisecond}.read(t.Context(), env, newConsole(env))
	if exitOf(err).Name != "auth" || !strings.Contains(err.Error(), "sleep took longer than 50ms") {
		t.Errorf("its own limit: %v", err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, &agent.TimeoutError{})
	defer cancel()
	_, err = secretSource{"command", "sleep 600", secretLimit}.read(ctx, env, newConsole(env))
	if exitOf(err).Name != "timeout" {
		t.Errorf("that of the run: %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A program that prints a secret gets only PATH and HOME, and so no other secret.
func TestSecretCommandEnvironment(t *testing.T) {
	script := filepath.Join(t.TempDir(), "tell")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nenv | cut -d= -f1 | sort | tr '\\n' ' '\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_API_KEY", "sk-not-for-children")
	env := Env{Stderr: io.Discard, Stdout: io.Discard, Getenv: os.Getenv}
	got, err := secretSource{"command", script, secretLimit}.read(t.Context(), env, newConsole(env))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(got)
	names = strings.Fields(strings.NewReplacer("PWD", "", "SHLVL", "", " _ ", " ").Replace(" " + strings.Join(names, " ") + " ")) // of the shell
	if diff := cmp.Diff([]string{"HOME", "PATH"}, names); diff != "" {
		t.Error(diff)
	}
}

// Secrets in the message and the stack of a panic are masked.
func TestPanicHidden(t *testing.T) {
	var said strings.Builder
	env := Env{Stderr: &said, Stdout: io.Discard, Getenv: func(string) string { return "" }}
	con := newConsole(env)
	con.secrets.Add("very-secret-token")
	con.report(&panicError{"lost very-secret-token", []byte("stack of very-secret-token")})
	if strings.Contains(said.String(), "very-secret") || strings.Count(said.String(), "***") != 2 {
		t.Errorf("%q", said.String())
	}
}
