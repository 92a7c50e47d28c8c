package policy

import (
	"flag"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"oneshot/pkg/tool"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

// V5: reads of named tools run, writes need --allow, running commands is always
// denied, and --deny wins over everything.
func TestDecide(t *testing.T) {
	read, write, exec := Facts{Tool: "file_read", Effect: tool.Read}, Facts{Tool: "file_put", Effect: tool.Write}, Facts{Tool: "shell", Effect: tool.Exec}
	for _, c := range []struct {
		name    string
		rules   Rules
		facts   Facts
		verdict Verdict
		rule    string
	}{
		{"read", Rules{}, read, Allow, "default:read"},
		{"read, read-only", Rules{ReadOnly: true}, read, Allow, "default:read"},
		{"read, denied", Rules{Deny: []string{"file_read"}}, read, Deny, "flag:deny"},
		{"read, denied by glob", Rules{Deny: []string{"x", "file_*"}}, read, Deny, "flag:deny"},
		{"read, denied and allowed", Rules{Allow: []string{"*"}, Deny: []string{"*"}}, read, Deny, "flag:deny"},
		{"read, another denied", Rules{Deny: []string{"file_put", "file_rea", "ile_read", "FILE_READ"}}, read, Allow, "default:read"},

		{"write", Rules{}, write, Deny, "default:write"},
		{"write, allowed", Rules{Allow: []string{"file_put"}}, write, Allow, "flag:allow"},
		{"write, allowed by glob", Rules{Allow: []string{"x", "*_put"}}, write, Allow, "flag:allow"},
		{"write, allowed by a set", Rules{Allow: []string{"file_[a-p]ut"}}, write, Allow, "flag:allow"},
		{"write, another allowed", Rules{Allow: []string{"file_read", "put", "file_pu?t"}}, write, Deny, "default:write"},
		{"write, allowed by an invalid glob", Rules{Allow: []string{"file_put["}}, write, Deny, "default:write"},
		{"write, read-only", Rules{Allow: []string{"*"}, ReadOnly: true}, write, Deny, "flag:read-only"},
		{"write, denied", Rules{Allow: []string{"file_put"}, Deny: []string{"file_put"}}, write, Deny, "flag:deny"},

		{"exec", Rules{}, exec, Deny, "default:deny"},
		{"exec, allowed", Rules{Allow: []string{"*"}}, exec, Deny, "default:deny"},
		{"exec, read-only", Rules{ReadOnly: true}, exec, Deny, "flag:read-only"},
		{"scopes that nobody granted", Rules{Allow: []string{"*"}}, Facts{Tool: "file_read", Effect: tool.Read, Scopes: []string{"mail"}}, Deny, "default:scopes"},
		{"no effect", Rules{Allow: []string{"*"}}, Facts{Tool: "file_put"}, Deny, "default:deny"},

		{"an invalid glob denies all", Rules{Deny: []string{"file_["}}, read, Deny, "flag:deny"},
	} {
		got := c.rules.Decide(c.facts)
		if got.Verdict != c.verdict || got.Rule != c.rule {
			t.Errorf("%s: %s by %s, want %s by %s", c.name, got.Verdict, got.Rule, c.verdict, c.rule)
		}
		if (got.Why == "") != (got.Verdict == Allow) {
			t.Errorf("%s: %s because %q", c.name, got.Verdict, got.Why)
		}
		if got.Early && c.facts.Effect != tool.Read {
			t.Errorf("%s: it may start early", c.name)
		}
	}
}

// Only a denial that a flag can lift says how.
func TestHint(t *testing.T) {
	if got := (Rules{}).Decide(Facts{Tool: "file_put", Effect: tool.Write}).Hint; got != "allow it with --allow file_put" {
		t.Errorf("hint %q", got)
	}
	for _, r := range []Rules{{ReadOnly: true}, {Deny: []string{"*"}}} {
		if got := r.Decide(Facts{Tool: "file_put", Effect: tool.Write}).Hint; got != "" {
			t.Errorf("hint %q", got)
		}
	}
}

// A read may start early when all hosts that it reaches are allowed by name and
// port.
func TestEarly(t *testing.T) {
	rules := Rules{AllowHosts: map[string]bool{"ok.test:80": true, "off.test:80": false}}
	for _, c := range []struct {
		hosts []string
		early bool
	}{
		{nil, true},
		{[]string{"ok.test:80"}, true},
		{[]string{"ok.test:80", "ok.test:80"}, true},
		{[]string{"ok.test:443"}, false},
		{[]string{"ok.test"}, false},
		{[]string{"OK.test:80"}, false},
		{[]string{"off.test:80"}, false},
		{[]string{""}, false},
		{[]string{"ok.test:80", "evil.test:80"}, false},
		{[]string{"ok.test:80.evil.test:80"}, false},
	} {
		got := rules.Decide(Facts{Tool: "wget", Effect: tool.Read, Hosts: c.hosts})
		if got.Early != c.early || got.Verdict != Allow {
			t.Errorf("%q: early %v, want %v (%s)", c.hosts, got.Early, c.early, got.Verdict)
		}
	}
	if (Rules{}).Decide(Facts{Tool: "wget", Effect: tool.Read, Hosts: []string{"ok.test:80"}}).Early {
		t.Error("without allowed hosts a read starts early")
	}
	if (Rules{Deny: []string{"wget"}}).Decide(Facts{Tool: "wget", Effect: tool.Read}).Early {
		t.Error("a denied read starts early")
	}
}

func TestCheckGlobs(t *testing.T) {
	for _, bad := range []string{"[", "a[", "[]", "[a", "[a-]", `\`, `a\`, "*[", "file_put[", "*_x[", "[^]"} {
		if got := CheckGlobs([]string{"*", bad, "x"}); got != bad {
			t.Errorf("%q is taken as a glob (%q)", bad, got)
		}
	}
	if got := CheckGlobs([]string{"*", "file_*", "?", "[a-z]*", "[^a]", `\*`, "{a,b}", ""}); got != "" {
		t.Errorf("%q is refused", got)
	}
	if got := CheckGlobs(nil); got != "" {
		t.Errorf("%q is refused", got)
	}
}

// Whatever the rules: more denials and read-only never allow more, nothing but
// reads start early, and a tool that is denied is denied.
func TestDenyOnlyNarrows(t *testing.T) {
	name := rapid.SampledFrom([]string{"file_put", "file_read", "wget", "shell"})
	glob := rapid.SampledFrom([]string{"*", "file_*", "wget", "?get", "s*", "[", "file_[pr]*"})
	effect := rapid.SampledFrom([]tool.Effect{tool.Read, tool.Write, tool.Exec, "", "other"})
	rapid.Check(t, func(t *rapid.T) {
		f := Facts{Tool: name.Draw(t, "tool"), Effect: effect.Draw(t, "effect")}
		r := Rules{Allow: rapid.SliceOf(glob).Draw(t, "allow"), Deny: rapid.SliceOf(glob).Draw(t, "deny"), ReadOnly: rapid.Bool().Draw(t, "readonly")}
		before := r.Decide(f)
		if before.Verdict == Allow && f.Effect != tool.Read && (r.ReadOnly || f.Effect != tool.Write) {
			t.Errorf("%+v allows %+v", r, f)
		}
		narrow := r
		narrow.Deny = append(slices.Clone(r.Deny), glob.Draw(t, "more"))
		narrow.ReadOnly = true
		if before.Verdict == Deny && narrow.Decide(f).Verdict == Allow {
			t.Errorf("%+v denies %+v and %+v allows it", r, f, narrow)
		}
		narrow.Deny = append(narrow.Deny, f.Tool)
		if narrow.Decide(f).Verdict != Deny {
			t.Errorf("%+v allows %+v", narrow, f)
		}
	})
}
