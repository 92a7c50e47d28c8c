package policy

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// Compile compiles a document that fits the published schema "policy.v1" into a layer. tools are all known tools,
// whether the run has them or not; without them names are not checked and tests not run. Findings have the JSON
// pointer of their place. With findings the layer is nil.
func Compile(doc json.RawMessage, tools *tool.Registry) (*Layer, []diag.Finding) {
	return compileWith(compiler{tools: tools, ids: map[string]string{}}, doc)
}

// CompileForAny is [Compile] for a policy that may contain rules for unknown tools, which it does not check.
func CompileForAny(doc json.RawMessage, tools *tool.Registry) (*Layer, []diag.Finding) {
	return compileWith(compiler{tools: tools, anyTools: true, ids: map[string]string{}}, doc)
}

func compileWith(c compiler, doc json.RawMessage) (*Layer, []diag.Finding) {
	var in document
	if err := jsonv2.Unmarshal(doc, &in, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, []diag.Finding{diag.New(diag.PolicyValue, diag.Span{}, "%v", err)}
	}
	l := c.compileLayer(in)
	l.Raw = doc
	if len(c.findings) == 0 && c.tools != nil {
		c.runTests(l, in)
	}
	if len(c.findings) > 0 {
		return nil, c.findings
	}
	return l, nil
}

// A compiler collects findings.
type compiler struct {
	tools    *tool.Registry
	anyTools bool              // rules about unknown tools are skipped
	ids      map[string]string // JSON pointers of rules, by id
	patterns schema.PatternBudget
	perUser  bool
	findings []diag.Finding
}

func (c *compiler) addFinding(code diag.Code, path, format string, args ...any) *diag.Finding {
	f := diag.New(code, diag.Span{}, format, args...)
	f.Path = path
	c.findings = append(c.findings, f)
	return &c.findings[len(c.findings)-1]
}

func (c *compiler) compileLayer(in document) *Layer {
	l := &Layer{EnableExec: in.EnableExec, RequireNonce: in.RequireNonce, trifecta: in.Taint.OnTrifecta, tools: map[string]*toolRules{}, dotted: []string{}}
	if l.trifecta == "" {
		l.trifecta = Deny
	}
	l.Budget = Budget{Calls: intOrMinusOne(in.Budget.Calls), Writes: intOrMinusOne(in.Budget.Writes), Tokens: intOrMinusOne(in.Budget.Tokens), Cost: -1}
	if in.Budget.CostUSD != nil {
		l.Budget.Cost = *in.Budget.CostUSD
	}
	if in.Budget.Wall != "" {
		l.Budget.Wall, _ = time.ParseDuration(in.Budget.Wall) // the schema has its form
	}
	for _, name := range slices.Sorted(maps.Keys(in.Tools)) {
		def := c.lookupTool("/tools/"+name, name)
		l.tools[name] = c.compileRules(name, in.Tools[name], def)
		l.collectDotFileNames(def, l.tools[name])
	}
	l.programs = c.compilePrograms(in.Programs)
	l.input = in.Input.Labels
	l.files = c.compileFiles(in.Files, in.EnableExec, in.Programs.Sandbox != nil)
	l.sinks = map[string][]rule{}
	for _, name := range slices.Sorted(maps.Keys(in.Taint.Allow)) {
		at := "/taint/allow/" + name
		l.sinks[name] = c.compileRuleList(at, "taint."+name, in.Taint.Allow[name], c.lookupTool(at, name))
	}
	l.labels = map[string][]labelRule{}
	for _, name := range slices.Sorted(maps.Keys(in.Labels)) {
		l.labels[name] = c.compileLabels("/labels/"+name, name, in.Labels[name])
	}
	l.PerUser = c.perUser
	return l
}

// intOrMinusOne returns an optional number, -1 for none.
func intOrMinusOne(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

func (c *compiler) compileRules(name string, in toolDocument, def *tool.Definition) *toolRules {
	at := "/tools/" + name
	return &toolRules{
		deny:  c.compileRuleList(at+"/deny", name+".deny", in.Deny, def),
		ask:   c.compileRuleList(at+"/ask", name+".ask", in.Ask, def),
		allow: c.compileRuleList(at+"/allow", name+".allow", in.Allow, def),
		limit: c.compileLimit(at+"/limit", in.Limit),
	}
}

// lookupTool returns the definition of a tool, nil if none are known.
func (c *compiler) lookupTool(at, name string) *tool.Definition {
	if c.tools == nil {
		return nil
	}
	def, ok := c.tools.Get(name)
	if !ok && !c.anyTools {
		c.addFinding(diag.PolicyTool, at, "unknown tool %q", name).Hint = schema.DidYouMean(name, c.tools.Names())
	}
	return def
}

// compileRuleList compiles rules. Rules without an id get one made from prefix and index.
func (c *compiler) compileRuleList(at, made string, in []ruleDocument, def *tool.Definition) []rule {
	out := make([]rule, len(in))
	for i, r := range in {
		n := strconv.Itoa(i)
		out[i] = c.compileRule(at+"/"+n, made+"["+n+"]", r, def)
	}
	return out
}

// compileLabels compiles the label rules of a tool.
func (c *compiler) compileLabels(at, name string, in []labelDocument) []labelRule {
	def := c.lookupTool(at, name)
	out := make([]labelRule, len(in))
	for i, one := range in {
		n := strconv.Itoa(i)
		out[i] = labelRule{c.compileRule(at+"/"+n, "labels."+name+"["+n+"]", ruleDocument{Effect: one.Effect, Args: one.Args}, def), one.Add}
	}
	return out
}

// compileRule compiles one rule. made is its id if it has none of its own.
func (c *compiler) compileRule(at, made string, in ruleDocument, def *tool.Definition) rule {
	r := rule{id: in.ID, effect: in.Effect, because: in.Because, set: in.Set, limit: c.compileLimit(at+"/limit", in.Limit), onUnknownOutcome: in.OnUnknown}
	if r.id == "" && r.limit.perUser {
		c.addFinding(diag.PolicyValue, at+"/limit/per", "the rule needs an id: calls of all runs are counted by it")
	}
	r.id = c.ruleID(at, r.id, "", made)
	for _, name := range slices.Sorted(maps.Keys(in.Args)) {
		at := at + "/args/" + escapePointer(name)
		one := argRule{name, c.compileConstraint(at, in.Args[name])}
		if c.checkParameter(at, name, def) {
			c.checkCompatibility(at, one, def)
			one.addNormalizedURLs(def)
		}
		r.args = append(r.args, one)
	}
	for _, name := range slices.Sorted(maps.Keys(in.Set)) {
		c.checkParameter(at+"/set/"+escapePointer(name), name, def)
	}
	return r
}

// ruleID returns the id of a rule with its prefix: its own, or made.
func (c *compiler) ruleID(at, own, key, made string) string {
	id := key + cmp.Or(own, made)
	if other, twice := c.ids[id]; own != "" && strings.ContainsAny(own, "+: ") {
		c.addFinding(diag.PolicyValue, at+"/id", "%q is not a valid rule id: it contains a blank, a colon or a plus sign", own)
	} else if own != "" && twice {
		c.addFinding(diag.PolicyValue, at+"/id", "duplicate rule id %q, first at %s", own, other)
	}
	c.ids[id] = at
	return id
}

func (c *compiler) compileLimit(at string, in *limitDocument) limit {
	if in == nil {
		return limit{calls: -1}
	}
	out := limit{calls: intOrMinusOne(in.Calls), burst: in.Burst}
	var ok bool
	if in.Rate != "" {
		if out.rate, ok = tool.ParseRate(in.Rate); !ok {
			c.addFinding(diag.PolicyValue, at+"/rate", "%q is not a rate such as 5/s, 100/m or 1000/h", in.Rate)
		}
	}
	if in.Burst > 0 && in.Rate == "" {
		c.addFinding(diag.PolicyValue, at+"/burst", "burst needs a rate")
	}
	if in.Per == "user" {
		c.checkUserRate(at, &out)
	}
	out.bytes = c.parseSize(at+"/bytes", in.Bytes)
	out.modelBytes = c.parseSize(at+"/model_bytes", in.ModelBytes)
	if in.ModelBytes != nil && out.modelBytes < tool.MinModelBytes {
		c.addFinding(diag.PolicyValue, at+"/model_bytes", "expected at least %d bytes", tool.MinModelBytes).Hint = "1KiB"
	}
	return out
}

// checkUserRate checks a limit for all runs of a user.
func (c *compiler) checkUserRate(at string, l *limit) {
	l.perUser, c.perUser = true, true
	switch {
	case l.rate.Calls == 0:
		c.addFinding(diag.PolicyValue, at+"/per", "a limit per user needs a rate")
	case l.maxBurst() > MaxLedgerStarts:
		c.addFinding(diag.PolicyValue, at+"/per", "the ledger keeps at most %d calls, but %d may start at once", MaxLedgerStarts, l.maxBurst()).Hint = "use a smaller burst"
	}
}

// runTests runs the tests of a layer.
func (c *compiler) runTests(l *Layer, in document) {
	for i, t := range in.Tests {
		at := "/tests/" + strconv.Itoa(i)
		def := c.lookupTool(at+"/call/tool", t.Call.Tool)
		if def == nil {
			continue
		}
		args := t.Call.Args
		if args == nil {
			args = json.RawMessage("{}")
		}
		if faults := def.Check(args); diag.HasErrors(faults) {
			c.addFinding(diag.PolicyTest, at+"/call", "the call does not fit the tool: %s", faults[0].Message)
			continue
		}
		p := Policy{Layers: []*Layer{l}, Flags: neededGrants(def)}
		if d := p.Decide(&State{}, Facts{Def: def, Trusted: true, Arguments: def.WithDefaults(args)}); d.Verdict != t.Expect {
			c.addFinding(diag.PolicyTest, at, "expected %s, got %s (%s)", t.Expect, d.Verdict, d.Rule)
		}
	}
}

// neededGrants are flags with everything that a tool needs: tests are about the rules of the file only.
func neededGrants(def *tool.Definition) FlagRules {
	return FlagRules{EnableExec: true, Scopes: slices.Concat(def.Scopes, def.AnyScopes), Connected: []string{def.Connection}}
}
