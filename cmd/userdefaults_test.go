package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"oneshot/pkg/policy"
	"oneshot/pkg/schema"
)

// guarded returns the values of the flags about permissions, credentials and files, which defaults must not change.
func (o *options) guarded() map[string]any {
	rules := policy.FlagRules{
		Allow: o.policy.allow, Ask: o.policy.ask, Deny: o.policy.deny, ReadOnly: o.policy.readOnly, EnableExec: o.policy.enableExec,
		Scopes: o.policy.scopes, Connected: o.policy.connections, AllowHosts: o.confine.hostsForEarlyReads(),
	}
	return map[string]any{
		"rules": rules, "layers": o.policy.files, "nonce": o.policy.nonce, "root": o.confine.root, "hosts": o.confine.allowHosts, "speaker": o.confine.speaker,
		"browser": o.confine.opener, "approver": o.approve.who, "approved": o.approve.calls, "tools": o.tools.paths, "tool": o.tools.globs,
		"trusted": o.prompt.trustInput, "answers": o.answers.pairs, "denied": o.onDenied, "unknown": o.onUnknown, "required": o.require,
		"secrets": o.model.servers.secrets.values, "keys": o.model.servers.keys, "headers": o.model.servers.headers, "proxy": o.model.servers.proxy,
		"record": o.record, "file": o.file, "lock": o.lock,
	}
}

// sampleValue returns a valid value of a flag, or "" for free text.
func sampleValue(row flagRow) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	row.define(set)
	switch {
	case row.name == "base-url":
		return "ollama=http://127.0.0.1:9"
	case row.completes.isClosed:
		return row.completes.values[0]
	}
	return map[string]string{"bool": "true", "int": "1", "int64": "1", "float64": "0.5", "USD": "0.5", "duration": "1s"}[set.Lookup(row.name).Value.Type()]
}

// K3: the environment and config.yaml can set only the flags on the list; other flags are refused. No variable and no key
// changes a guarded flag.
func TestDefaultsDecideNothing(t *testing.T) {
	before, err := resolveFlags(forRun, flagSource{})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range rowsOf(forRun) {
		value := sampleValue(row)
		if value == "" {
			value = "x"
		}
		dir := t.TempDir()
		env, _, _ := testEnv()
		env.Getenv = func(variable string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[variable] }
		env.Environ = []string{envPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "=" + value}
		checkDecidesNothing(t, env, row, before)

		env.Environ = nil
		key := strings.ReplaceAll(name, "-", "_")
		line := key + ": " + value + "\n"
		if name == "base-url" {
			line = "base_url: {ollama: 'http://127.0.0.1:9'}\n"
		}
		if err := os.MkdirAll(filepath.Join(dir, "oneshot"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "oneshot", "config.yaml"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		checkDecidesNothing(t, env, row, before)
	}
}

func checkDecidesNothing(t *testing.T, env Env, row flagRow, before *resolvedFlags) {
	t.Helper()
	sources, err := loadDefaults(env, newConsole(env)).sources()
	if (err == nil) != (row.defaults != 0) {
		t.Errorf("--%s: on the list: %v, error: %v", row.name, row.defaults != 0, err)
	}
	after, err := resolveFlags(forRun, flagSource{}, sources...)
	if err != nil {
		t.Fatal(err)
	}
	if row.defaults != 0 && !after.isSet(row.name) {
		t.Errorf("--%s is not set", row.name)
	}
	if d := cmp.Diff(before.guarded(), after.guarded(), cmp.AllowUnexported(recordOptions{})); d != "" {
		t.Errorf("--%s changes what may happen:\n%s", row.name, d)
	}
}

// The published schema of config.yaml has the keys on the list, and no others.
func TestConfigKeys(t *testing.T) {
	text, _ := schema.PublishedText("config.v1")
	var keys []string
	for key := range gjson.GetBytes(text, "properties").Map() {
		keys = append(keys, strings.ReplaceAll(key, "_", "-"))
	}
	slices.Sort(keys)
	if d := cmp.Diff(settableNames(rowsOf(forRun)), keys); d != "" {
		t.Error(d)
	}
}
