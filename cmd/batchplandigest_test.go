package cmd

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/spf13/cobra"

	"oneshot/prompts"
	"oneshot/tooldefs"
)

// planFiles are the files that the tested command lines name.
var planFiles = map[string]string{
	"records.jsonl": `{"name":"Ada","ticket":"7","input":"x"}` + "\n",
	"old.jsonl":     "",
	"a.md":          "Greet ${name}.",
	"b.md":          "Salute ${name}.",
	"policy.yaml":   "version: 1\ntools: {file_read: {allow: [{}]}}\n",
	"other.yaml":    "version: 1\ntools: {file_read: {deny: [{}]}}\n",
	"schema.json":   `{"type":"object"}`,
	"english.yaml":  "version: 1\nvars: {name: {default: Ada}, tone: {default: dry}}\nprompt: Greet ${name}.\n",
	"german.yaml":   "version: 1\nvars: {name: {default: Adam}, tone: {default: dry}}\nprompt: Greet ${name}.\n",
	"same.yaml":     "version: 1\ndescription: The same.\nmax_turns: 3\nvars: {name: {default: Ada}, tone: {default: kind}}\nprompt: Greet ${name}.\n",
	"tool.yaml": `name: file_list
description: List files.
signature: "file_list(dir: string)"
examples: [{call: "file_list('a')"}, {call: "file_list('b')"}, {call: "file_list('c')"}]
effect: read
http: {method: GET, url: "https://files.example.org/"}
`,
}

// planOf returns the digest of the plan of a batch.
func planOf(t *testing.T, args ...string) string {
	t.Helper()
	env, _, _ := testEnv()
	env.Tools, env.Prompts = tooldefs.FS, prompts.FS
	variables := map[string]string{"XDG_STATE_HOME": t.TempDir(), "KEY": "key-of-a-test"}
	env.Getenv = func(name string) string { return variables[name] }
	console, plan := newConsole(env), ""
	c := newBatch(env, console)
	c.RunE = func(c *cobra.Command, args []string) error {
		rec, flags, err := resolveBatchFlags(env, console, commandLine(c.Flags()))
		if err != nil {
			return err
		}
		b := &batchRun{env: env, console: console, flags: flags}
		defer b.close()
		err = b.prepare(t.Context(), rec, args)
		plan = b.plan
		return err
	}
	c.SilenceUsage = true
	c.SetArgs(args)
	if err := c.Execute(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return plan
}

// A planCase is a pair of command lines, with and without a flag or a value of it, whose plans are compared.
type planCase struct {
	with, without []string
	replaces      string // the part of the common command line that both replace
}

// C6: the plan covers each flag that affects the results of a batch, and no flag that a user may have to change to continue it.
// Each flag of batch is in at least one of the two tables.
func TestPlanOfBatch(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range planFiles {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, mode := range map[string]os.FileMode{"ca.pem": 0o600, "program": 0o700} {
		if err := os.WriteFile(name, ca, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"vault", "others"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	common := map[string][]string{
		"model": {"--model", "m"}, "prompt": {"--prompt", "Greet ${name}."}, "server": {"--base-url", "http://127.0.0.1:9", "--api", "chat"},
		"tools": {"--tool", "file_*", "--root", "vault"}, "files": {"records.jsonl"}, "dry": {"--dry-run"},
	}
	of := func(c planCase, args []string) string {
		for part, flags := range common {
			if part != c.replaces {
				args = append(args[:len(args):len(args)], flags...)
			}
		}
		return planOf(t, args...)
	}

	changes := map[string]planCase{
		"model":              {with: []string{"--model", "other"}},
		"tools":              {with: []string{"--tool", "file_list", "--tools", "tool.yaml"}, without: []string{"--tool", "file_read"}},
		"tool":               {with: []string{"--tool", "vault_search"}},
		"root":               {with: []string{"--tool", "file_read", "--root", "others"}, without: []string{"--tool", "file_read", "--root", "vault"}, replaces: "tools"},
		"schema":             {with: []string{"--schema", "schema.json"}},
		"system":             {with: []string{"--system", "a.md"}, without: []string{"--system", "b.md"}},
		"prompt":             {with: []string{"--prompt", "Salute ${name}."}, without: []string{"--prompt", "Greet ${name}."}, replaces: "prompt"},
		"prompt-file":        {with: []string{"--prompt-file", "a.md"}, without: []string{"--prompt-file", "b.md"}, replaces: "prompt"},
		"agent":              {with: []string{"--agent", "english.yaml"}, without: []string{"--agent", "german.yaml"}, replaces: "prompt"},
		"policy":             {with: []string{"--policy", "policy.yaml"}, without: []string{"--policy", "other.yaml"}},
		"allow":              {with: []string{"--allow", "file_put"}},
		"ask":                {with: []string{"--ask", "file_put"}},
		"deny":               {with: []string{"--deny", "file_read"}},
		"read-only":          {with: []string{"--read-only"}},
		"enable-exec":        {with: []string{"--enable-exec"}},
		"scope":              {with: []string{"--scope", "gmail.readonly"}},
		"connection":         {with: []string{"--connection", "calendar"}},
		"allow-host":         {with: []string{"--allow-host", "localhost:8080"}},
		"nonce":              {with: []string{"--nonce"}},
		"on-denied":          {with: []string{"--on-denied", "continue"}},
		"require-tool":       {with: []string{"--require-tool", "file_read"}},
		"trust-input":        {with: []string{"--trust-input"}},
		"var":                {with: []string{"--var", "name=Eve"}, without: []string{"--var", "name=Bea"}},
		"var-file":           {with: []string{"--var-file", "name=a.md"}, without: []string{"--var-file", "name=b.md"}},
		"answer-description": {with: []string{"--answer-description", "a greeting"}},
		"dialect":            {with: []string{"--dialect", "hermes"}},
		"leaked-calls":       {with: []string{"--leaked-calls", "run"}},
		"now":                {with: []string{"--now", "2026-11-21T09:30:00Z"}},
		"tz":                 {with: []string{"--tz", "Europe/Berlin"}},
		"responder":          {with: []string{"--responder", "other"}},
		"base-url":           {with: []string{"--base-url", "http://127.0.0.1:10", "--api", "chat"}, without: common["server"], replaces: "server"},
		"api":                {with: []string{"--base-url", "http://127.0.0.1:9", "--api", "responses"}, without: common["server"], replaces: "server"},
		"temperature":        {with: []string{"--temperature", "0"}},
		"seed":               {with: []string{"--seed", "0"}},
		"effort":             {with: []string{"--effort", "low"}},
		"param":              {with: []string{"--param", "max_tokens=100"}},
	}
	// Other flags do not affect the result of a record: concurrency, order and destination of the lines, limits of time and
	// cost, credentials, the network path to a server (but not --connection, which is about tools), and approvals.
	keeps := map[string]planCase{
		"agent":               {with: []string{"--agent", "english.yaml"}, without: []string{"--agent", "same.yaml"}, replaces: "prompt"},
		"output-file":         {with: []string{"-o", "out.jsonl"}},
		"concurrency":         {with: []string{"--concurrency", "2"}},
		"rate":                {with: []string{"--rate", "9/m"}},
		"unordered":           {with: []string{"--unordered"}},
		"max-failures":        {with: []string{"--max-failures", "2"}},
		"total-timeout":       {with: []string{"--total-timeout", "1h"}},
		"total-max-cost":      {with: []string{"--total-max-cost", "1"}},
		"input-format":        {with: []string{"--input-format", "jsonl"}},
		"id-field":            {with: []string{"--id-field", "ticket"}},
		"retry":               {with: []string{"-o", "new.jsonl", "--retry", "all", "old.jsonl"}},
		"allow-empty-input":   {with: []string{"--allow-empty-input"}},
		"max-turns":           {with: []string{"--max-turns", "5"}},
		"timeout":             {with: []string{"--timeout", "9s"}},
		"max-calls":           {with: []string{"--max-calls", "5"}},
		"max-identical-calls": {with: []string{"--max-identical-calls", "5"}},
		"max-repairs":         {with: []string{"--max-repairs", "1"}},
		"max-total-tokens":    {with: []string{"--max-total-tokens", "99999"}},
		"max-cost":            {with: []string{"--max-cost", "1"}},
		"first-byte-timeout":  {with: []string{"--first-byte-timeout", "9s"}},
		"idle-timeout":        {with: []string{"--idle-timeout", "9s"}},
		"secret":              {with: []string{"--secret", "K@127.0.0.1=env:KEY"}},
		"api-key":             {with: []string{"--secret", "K@127.0.0.1=env:KEY", "--api-key", "${secret:K}"}},
		"header":              {with: []string{"--header", "X-Team=blue"}},
		"ca-file":             {with: []string{"--ca-file", "ca.pem"}},
		"proxy":               {with: []string{"--proxy", "http://127.0.0.1:1"}},
		"dry-run":             {without: common["dry"], replaces: "dry"},
		"approve":             {with: []string{"--approve", "tty", "--concurrency", "1"}},
		"on-unknown-outcome":  {with: []string{"--on-unknown-outcome", "report"}},
		"tts-command":         {with: []string{"--tts-command", "./program"}},
		"browser-command":     {with: []string{"--browser-command", "./program"}},
		"no-cache":            {with: []string{"--no-cache"}},
		"lock":                {with: []string{"--lock", "nightly"}},
	}
	for name := range rowsOf(forBatch) {
		c, isPart := changes[name]
		same, isKept := keeps[name]
		if !isPart && !isKept {
			t.Errorf("--%s: is it part of the plan of a batch?", name)
		}
		if isPart && of(c, c.with) == of(c, c.without) {
			t.Errorf("--%s does not change the plan", name)
		}
		if isKept && of(same, same.with) != of(same, same.without) {
			t.Errorf("--%s changes the plan", name)
		}
	}
}
