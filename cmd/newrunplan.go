package cmd

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/diag"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
)

// newRunPlan makes the plan of a run. It takes the lock of the run before it contacts a server, and finds all errors it can
// before the first request.
func newRunPlan(ctx context.Context, t *console, flags *resolvedFlags, rec *recordedRun, args []string) (*runPlan, error) {
	shared, err := newSharedPlan(ctx, t, flags, rec)
	if err != nil {
		return nil, err
	}
	p := &runPlan{sharedPlan: *shared}
	if err := p.loadTexts(ctx, args); err != nil {
		return nil, causeOr(ctx, err)
	}
	if err := p.lockAndChooseModels(ctx); err != nil {
		return nil, causeOr(ctx, err)
	}
	return p, p.configure(ctx)
}

// newSharedPlan resolves the values of the flags, except for the models.
func newSharedPlan(ctx context.Context, t *console, flags *resolvedFlags, rec *recordedRun) (p *sharedPlan, err error) {
	p = &sharedPlan{env: rec.env, console: t, flags: flags, recorded: rec, resolved: &resolution{recorded: rec.settings}}
	t.hideKeys(p.env)
	if p.secrets, err = flags.model.servers.secrets.load(ctx, p.env, t, flags.isReplay()); err != nil {
		return nil, causeOr(ctx, err)
	}
	if err := p.loadToolsAndPolicy(); err != nil {
		return nil, causeOr(ctx, err)
	}
	if p.schema, err = loadSchema(t, flags.schema); err != nil {
		return nil, causeOr(ctx, err)
	}
	return p, nil
}

// loadToolsAndPolicy loads the tools and the policy of the run, and confines the tools.
func (p *sharedPlan) loadToolsAndPolicy() error {
	f := p.flags
	selected, err := f.tools.forRun(p.env, p.console)
	if err != nil {
		return err
	}
	if err := f.checkNames(selected); err != nil {
		return err
	}
	rules, managed, err := f.policy.load(p.env, p.console, f.tools, f.confine.hostsForEarlyReads())
	if err != nil {
		return err
	}
	if !f.isReplay() && !f.dryRun {
		if err := useLedger(p.env, &rules, false); err != nil {
			return err
		}
	}
	records := p.runFilesAndStateDir()
	if err := f.confine.checkRoot(records); err != nil {
		return err
	}
	p.policy, p.managed = f.confine.withLinkTargets(rules), managed
	p.policy.Secrets = p.console.secrets
	if p.tools, err = p.usableTools(selected); err != nil {
		return err
	}
	p.access = toolAccess{f.confine, records, p.protectedFiles(), f.tools.files()}
	if p.tools == nil || f.isReplay() {
		return nil
	}
	if p.programs, err = p.access.programs(p.console, p.policy, p.tools.All()); err != nil {
		return err
	}
	if p.programs != nil {
		p.programs.Zone = f.zone
	}
	p.secret, err = p.secrets.forTools(p.tools.All())
	return err
}

// loadTexts loads the prompt from the flags or the record.
func (p *runPlan) loadTexts(ctx context.Context, args []string) (err error) {
	if p.recorded.prompt != nil {
		if p.texts, err = p.flags.prompt.loadRecorded(ctx, p.env, *p.recorded.prompt); err == nil {
			p.texts.attachments, err = p.recorded.recordedAttachments()
		}
	} else {
		p.texts, err = p.flags.prompt.load(ctx, p.env, p.console, args)
	}
	in := p.flags.prompt.input
	p.stdin = &unnamedStdin{wait: in.wait, isIgnored: in.noStdin || p.texts.namesStdin}
	switch {
	case p.recorded.resumed != nil:
		p.stdin.unused = "a resumed run uses its recorded input"
	case p.recorded.replay != nil:
		p.stdin.unused = "a replay reads it only with --input -"
	}
	return err
}

// lockAndChooseModels takes the lock, and chooses the models or the recording that replaces them.
func (p *sharedPlan) lockAndChooseModels(ctx context.Context) (err error) {
	f := p.flags
	if f.lock != "" && !f.dryRun {
		if p.console.lock, err = takeLock(p.env, f.lock); err != nil {
			return err
		}
		p.console.events.setLocked()
	}
	if p.params, err = f.model.flagParams(f.isSet); err != nil {
		return err
	}
	if _, err := taughtFlag(f.model.dialect); err != nil {
		return err
	}
	if err := f.model.checkReplayIsOnlyModel(); err != nil {
		return err
	}
	if replay := p.recorded.replay; replay != nil {
		if err := replay.load(p.env); err != nil {
			return err
		}
		p.models = replay.replayModels()
		return nil
	}
	p.models, err = p.connect(ctx)
	return err
}

// configure sets the configuration of the run. State that is not a flag, such as the seed, comes from the record, if there
// is one. It reads a stdin without a flag, which can take time.
func (p *runPlan) configure(ctx context.Context) (err error) {
	f, t := p.flags, p.console
	var seed [32]byte
	if _, err := crand.Read(seed[:]); err != nil {
		return err
	}
	p.models = p.models.seeded(seed)
	cfg := agent.Config{
		GateConfig: agent.GateConfig{
			Tools: p.tools, Seed: seed, Limits: f.limits, Policy: p.policy, AskUser: p.tools != nil, Replay: f.isReplay(),
			ContinueDenied: f.onDenied == "continue", ReportUnknownOutcome: f.onUnknown == "report",
		},
		Model: p.models.main, AnswerModel: p.models.answer, Texts: p.env.Prompts, NativeOnly: p.models.nativeOnly, RunLeakedCalls: f.model.leaked == "run",
		TrustInput: f.prompt.trustInput, Schema: p.schema, TextAnswer: p.schema == nil && f.output == "text", RequiredTools: f.require,
		Params: p.params,
	}
	applyBudgets(&cfg.Limits, p.policy.Layers)
	if cfg.Dialect, err = taughtFlag(f.model.dialect); err != nil {
		return err
	}
	if cfg.Native = p.models.isNative; p.recorded.replay != nil {
		if err := p.restore(&cfg, p.recorded.replay.file(), func() error { return agent.Restore(p.recorded.replay.log, &cfg) }); err != nil {
			return err
		}
	}
	if cfg.Nonce, err = p.needsNonce(cfg); err != nil {
		return err
	}
	if cfg.UserAnswers, err = f.answers.readAnswers(t.secrets, f.line.values["answer"], p.recorded.resumed); err != nil {
		return err
	}
	if err := p.stdin.addTo(ctx, p.env, t, &p.texts); err != nil {
		return causeOr(ctx, err)
	}
	if f.dryRun {
		cfg.Seed = drySeed(p.texts)
	}
	cfg.System, cfg.Prompt, cfg.Input, cfg.AnswerDescription = p.texts.system, p.texts.prompt, p.texts.input, p.texts.answerDescription
	cfg.Attachments = p.texts.attachments
	if err := errors.Join(p.models.checkAttachments(cfg.Attachments), checkAttachmentSecrets(t, cfg.Attachments)); err != nil {
		return err
	}
	maskSecretsInPrompt(t, &cfg)
	if p.recorded.resumed != nil {
		if err := p.resume(&cfg); err != nil {
			return err
		}
	}
	if cfg.ObserveContent = f.stream != ""; f.stream != "" && !cfg.TextAnswer {
		return usagef("omit --stream", "--stream needs an answer in text, but the recorded run answers in JSON")
	}
	if cfg.Now, err = f.clock(p.env, cfg.Now); err != nil {
		return err
	}
	if err := p.setApprovers(&cfg); err != nil {
		return err
	}
	cfg.Prices = p.prices(p.env.Now())
	budget := f.nameWithSource("max-cost")
	if f.limits.Cost == 0 {
		budget = "budget.cost_usd in the policy"
	}
	if err := checkPrices(budget, cfg.Limits.Cost, cfg); err != nil {
		return err
	}
	if err := checkPrices("--total-max-cost", f.batch.cost, cfg); err != nil {
		return err
	}
	p.config = cfg
	return nil
}

// restore takes settings that are not flags from a record. The dialect of a flag takes precedence.
func (p *runPlan) restore(cfg *agent.Config, file string, take func() error) error {
	flagged := cfg.Dialect
	if err := take(); err != nil {
		return &inputError{fmt.Errorf("%s: %w", file, err)}
	}
	if name := p.flags.model.dialect; name != "auto" {
		cfg.Dialect, cfg.Native = flagged, name == native && p.tools != nil
	}
	return nil
}

// resume makes the configuration continue the resumed run. It refuses a run whose tools, policy, schema or prompt have
// changed.
func (p *runPlan) resume(cfg *agent.Config) error {
	r, replayed := p.recorded.resumed, cfg.Spent // by attempts that the replayed run voided
	err := p.restore(cfg, r.path, func() (err error) { p.resumes, err = agent.Resume(r.log, cfg); return err })
	if err != nil {
		return err
	}
	cfg.Spent = slices.Concat(replayed, cfg.Spent)
	if cfg.Limits.Wall-cfg.Elapsed < minTimeLeft && r.run.Batch == nil { // the run of a batch must still record its end
		return &agent.TimeoutError{Limit: cfg.Limits.Wall, Elapsed: cfg.Elapsed}
	}
	if p.recorded.replay != nil {
		p.recorded.replay.player.Skip(r.past)
	}
	return p.checkUnchanged(*cfg)
}

// needsNonce reports whether a flag, a policy or a recording requires marked fences.
func (p *runPlan) needsNonce(cfg agent.Config) (bool, error) {
	rule := p.flags.policy.nonceRule(p.policy.Layers, p.managed)
	needs := rule != "" || cfg.Nonce
	if _, ok := cfg.Dialect.WithNonce(""); needs && !ok {
		return false, usagef("use --dialect tool or native", "%s: the dialect %s has calls outside of fences, which cannot be marked", cmp.Or(rule, "--nonce"), cfg.Dialect.Name)
	}
	if needs && p.flags.model.leaked == "run" {
		return false, usagef("use --leaked-calls report", "%s: calls in the text of a native run have no marked fences, and --leaked-calls run reads them", cmp.Or(rule, "--nonce"))
	}
	return needs, nil
}

// setApprovers sets who answers questions of tools and approves calls. A replay also replays these answers.
func (p *runPlan) setApprovers(cfg *agent.Config) (err error) {
	if !p.flags.isReplay() {
		if p.flags.approve.who == "tty" {
			cfg.PromptUser = p.console.askTerminal
		}
		cfg.Approver, err = p.flags.approve.approver(p.env, p.console, p.models.names[0])
		return err
	}
	cfg.Approver = newRecordedApprover(p.recorded.replay.log)
	if len(cfg.UserAnswers) == 0 {
		cfg.RecordedUserInput = p.recorded.replay.userInput()
	}
	return nil
}

// maskSecretsInPrompt masks secrets in the texts for the model.
func maskSecretsInPrompt(t *console, cfg *agent.Config) {
	held := false
	for _, text := range []*string{&cfg.System, &cfg.Prompt, &cfg.Input, &cfg.AnswerDescription} {
		hidden := t.secrets.Hide(*text)
		held, *text = held || hidden != *text, hidden
	}
	if held {
		t.note("the prompt or its input contained a secret, masked as %s", redact.Mask)
	}
}

// checkUnchanged refuses to resume a run whose definitions, policy, schema or prompt have changed.
func (p *runPlan) checkUnchanged(cfg agent.Config) error {
	r := p.recorded.resumed
	now, err := p.record(cfg)
	if err != nil {
		return err
	}
	was, is := r.run.Digests, now.Digests
	if names := changedNames(was.Tools, is.Tools); len(names) > 0 {
		return usagef("restore them, or start a new run", "--resume %s: tool definitions have changed since the run started: %s", r.path, strings.Join(names, ", "))
	}
	for _, part := range []struct{ name, was, is string }{
		{"the managed policy", was.Managed, is.Managed}, {"the policy", was.Policy, is.Policy},
		{"the schema", was.Schema, is.Schema}, {"the system prompt", was.Prompt, is.Prompt}, // it depends on the tools
		{"the confinement of programs", string(r.run.Programs), string(p.console.secrets.HideJSON(now.Programs))},
	} {
		if part.was != part.is {
			return usagef("restore it, or start a new run", "--resume %s: %s has changed since the run started", r.path, part.name)
		}
	}
	return nil
}

// changedNames returns the names whose digests are not the same in both.
func changedNames(was, is map[string]string) []string {
	all := map[string]string{}
	maps.Copy(all, was)
	maps.Copy(all, is)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return was[name] == is[name] })
}

// minTimeLeft is too short for any request. A run has used a bit more time than its records show.
const minTimeLeft = 100 * time.Millisecond

// connect queries the capabilities of the named models, or of the only model of Ollama.
func (p *sharedPlan) connect(ctx context.Context) (*chosenModels, error) {
	o, env, t := &p.flags.model, p.env, p.console
	s, err := o.servers.read(env, t, p.secrets, p.resolved)
	if err != nil {
		return nil, err
	}
	names, source := o.names, p.flags.source("model")
	if recorded, ok := p.resolved.recorded[runfile.ModelSetting]; ok && !p.flags.isGiven("model") {
		if source = recorded.Source; len(names) == 0 {
			names = []string{recorded.Value}
		}
	}
	if len(names) == 0 {
		source = sourceOnlyModel
		only, err := s.onlyModel(ctx, env, t)
		if err != nil {
			return nil, err
		}
		t.note("using model %s", only)
		names = []string{only}
	}
	for _, name := range names {
		p.resolved.note(runfile.ModelSetting, name, source)
	}
	m := &chosenModels{names: names, settings: s, hasServerFlags: o.servers.isGiven(), hasResponder: o.responder != ""}
	if m.hasResponder {
		m.names = append(slices.Clone(names), o.responder)
	}
	if m.endpoints, err = s.endpoints(env, t, m.names, o.responder); err != nil {
		return nil, err
	}
	for i := range m.endpoints {
		if err := s.authorize(env, t, &m.endpoints[i]); err != nil {
			return nil, err
		}
	}
	wanted := requirements{
		calls:   p.tools != nil && (o.dialect == "auto" || o.dialect == native),
		context: p.params["num_ctx"] == nil, another: len(names) > 1,
		images: len(p.flags.prompt.attach) > 0 || p.recorded.prompt != nil && len(p.recorded.prompt.Attachments) > 0,
	}
	if err := m.probe(ctx, t, wanted); err != nil {
		return nil, err
	}
	if len(names) > 1 && !p.flags.dryRun {
		m.breakers = newBreakers(env, t)
		m.shareProbeFailures()
	}
	return m, m.chooseNativeCalls(o.dialect, p.tools != nil)
}

// loadSchema reads a schema from a file, or from the flag itself if it is a JSON object, and prints its findings.
func loadSchema(t *console, path string) (*schema.Schema, error) {
	if path == "" {
		return nil, nil
	}
	if raw := []byte(path); strings.HasPrefix(strings.TrimSpace(path), "{") {
		s, findings := schema.Compile("--schema", raw)
		t.findings(findings, map[string]diag.Text{"--schema": {Bytes: raw}})
		if s == nil {
			return nil, usagef("for example --schema '{\"type\": \"object\"}', or --schema FILE", "--schema has errors")
		}
		return s, nil
	}
	raw, err := readFlag("--schema", path)
	if err != nil {
		return nil, err
	}
	s, findings := schema.Compile(path, raw)
	t.findings(findings, map[string]diag.Text{path: {Bytes: raw}})
	if s == nil {
		return nil, usagef(hintOfFindings(findings), "--schema: %s has errors", path)
	}
	return s, nil
}
