package tool

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

var definitionKeys = []string{
	"name", "description", "signature", "parameters", "returns", "examples", "prompt_examples", "effect", "idempotent",
	"scopes", "connection", "renew", "labels", "cache", "timeout", "limit", "tags", "builtin", "exec", "http",
}

// A decoder reads one definition.
type decoder struct {
	Loader
	file           *yamldoc.File
	doc            yamldoc.Map
	def            *Definition
	backendInvalid bool // the backend has findings
}

// decode reads one document. Faults are reported to the file; the definition is valid only if there are none.
func (l Loader) decode(f *yamldoc.File, doc yamldoc.Value) *Definition {
	d := decoder{Loader: l, file: f, def: &Definition{File: f.Name()}}
	var ok bool
	if d.doc, ok = doc.Map(definitionKeys...); !ok {
		return d.def
	}
	d.def.nameSpan = doc.Span()
	d.def.Name = d.decodeName()
	d.def.Line = d.def.nameSpan.Line
	d.def.Description = d.requiredText("description")
	d.def.Effect = d.decodeEffect()
	d.decodeIdempotent()
	d.decodeScopes()
	d.def.Labels = d.decodeLabels()
	d.def.Tags, _ = d.doc.Get("tags").Texts()
	d.def.Timeout = d.decodeTimeout()
	d.decodeLimit()
	known := d.decodeParameters()
	d.decodeBackend(known)
	d.decodeCache()
	d.decodeExamples(known)
	return d.def
}

// decodeName reads the name and records its span.
func (d *decoder) decodeName() string {
	v := d.doc.Required("name")
	name, ok := v.Text()
	if !ok {
		return ""
	}
	d.def.nameSpan = v.Span()
	switch {
	case !isName(name):
		v.Add(diag.DefValue, "%q is not a valid tool name: %s", name, nameRules)
	case LookupEndingTool(name) != nil:
		v.Add(diag.DefName, "the tool %s is defined twice, first %s", name, LookupEndingTool(name).definedIn())
	}
	return name
}

const nameRules = "use 1 to 64 letters, digits and _, not starting with a digit"

// isName reports whether a name matches [A-Za-z_][A-Za-z0-9_]{0,63}.
func isName(name string) bool {
	return len(name) <= 64 && isIdentifier(name) && !strings.Contains(name, "$")
}

// requiredText reads a required string, which must not be empty.
func (d *decoder) requiredText(key string) string {
	v := d.doc.Required(key)
	text, ok := v.Text()
	if ok && strings.TrimSpace(text) == "" {
		v.Add(diag.DefValue, "must not be empty")
	}
	return strings.TrimSpace(text)
}

func (d *decoder) decodeEffect() Effect {
	v := d.doc.Required("effect")
	text, ok := v.Text()
	effects := []string{string(Read), string(Write), string(Exec)}
	if ok && !slices.Contains(effects, text) {
		f := v.Add(diag.DefValue, "expected read, write or exec, got %q", text)
		f.Hint = schema.DidYouMean(text, effects)
	}
	return Effect(text)
}

func (d *decoder) decodeTimeout() time.Duration { return decodeDuration(d.doc.Get("timeout")) }

// decodeDuration reads a duration, 0 for none.
func decodeDuration(v yamldoc.Value) time.Duration {
	text, ok := v.Text()
	if !ok {
		return 0
	}
	duration, err := time.ParseDuration(text)
	if err != nil || duration <= 0 || strings.Trim(text, "0123456789.msh") != "" {
		v.Add(diag.DefValue, "%q is not a duration such as 20s or 1m30s", text)
	}
	return duration
}

// decodeCache reads how long results may be used again. Results of requests with credentials are cached only if the
// definition allows it, because the cache does not know their contents.
func (d *decoder) decodeCache() {
	v := d.doc.Get("cache")
	if !v.IsPresent() {
		return
	}
	ttl, isAuthorized := v, false
	if v.IsMap() {
		m, ok := v.Map("ttl", "authorized")
		if !ok {
			return
		}
		ttl = m.Required("ttl")
		isAuthorized, _ = m.Get("authorized").Bool()
	}
	d.def.Cache = decodeDuration(ttl)
	switch hasCredentials := d.def.Connection != "" || d.def.HTTP != nil && len(d.def.HTTP.Secrets) > 0; {
	case d.def.Effect != Read:
		v.Add(diag.DefValue, "only results of a read can be cached, and the effect is %s", d.def.Effect)
	case hasCredentials && !isAuthorized:
		v.Add(diag.DefValue, "the tool has a connection or sends credentials").Hint = "cache: {ttl: 5m, authorized: true} keeps such results"
	}
}

func (d *decoder) decodeLimit() {
	v := d.doc.Get("limit")
	if !v.IsPresent() {
		return
	}
	m, ok := v.Map("rate", "bytes", "model_bytes")
	if !ok {
		return
	}
	rate := m.Get("rate")
	if text, ok := rate.Text(); ok {
		if d.def.Rate, ok = ParseRate(text); !ok {
			rate.Add(diag.DefValue, "%q is not a rate such as 5/s, 100/m or 1000/h", text)
		}
	}
	d.def.MaxBytes = decodeSize(m.Get("bytes"))
	if d.def.MaxBytes > runfile.MaxResult {
		m.Get("bytes").Add(diag.DefValue, "a run keeps at most %d bytes of a result", runfile.MaxResult).Hint = "8MiB"
	}
	d.def.ModelBytes = decodeSize(m.Get("model_bytes"))
	if m.Get("model_bytes").IsPresent() && d.def.ModelBytes < MinModelBytes {
		m.Get("model_bytes").Add(diag.DefValue, "expected at least %d bytes", MinModelBytes).Hint = "1KiB"
	}
}

// MinModelBytes is the smallest part of a result that a model can be sent: the envelope around a truncated result
// needs that much.
const MinModelBytes = 1 << 10

// ParseRate parses a rate such as "5/s".
func ParseRate(text string) (Rate, bool) {
	number, unit, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(number)
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
	return Rate{n, per}, err == nil && n > 0 && per > 0
}

// sizeUnits are the units of sizes, each before its own suffixes.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1},
}

// decodeSize reads a number of bytes such as 1MB.
func decodeSize(v yamldoc.Value) int64 {
	if !v.IsPresent() {
		return 0
	}
	var text string
	if v.IsText() {
		text, _ = v.Text()
	} else if number, ok := v.Number(); ok {
		text = number.String()
	} else {
		return 0
	}
	n, ok := ParseSize(text)
	if !ok {
		v.Add(diag.DefValue, "%q is not a size such as 64KB, 1MB or 1MiB", text)
	}
	return n
}

// ParseSize parses a number of bytes such as "1MB", "64 KiB" or "100".
func ParseSize(text string) (n int64, ok bool) {
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(number, " "), 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64/u.bytes {
			break
		}
		return n * u.bytes, true
	}
	return 0, false
}

func (d *decoder) decodeLabels() []Label {
	v := d.doc.Get("labels")
	texts, _ := v.Texts()
	items, _ := v.List()
	var out []Label
	for i, text := range texts {
		if !slices.Contains(Labels, Label(text)) {
			f := items[i].Add(diag.DefValue, "expected %s, got %q", schema.JoinOr(Labels), text)
			f.Hint = schema.DidYouMean(text, []string{string(Untrusted), string(Private), string(Sink)})
		}
		out = append(out, Label(text))
	}
	return out
}

// decodeBackend reads the implementation: exactly one [Backend].
func (d *decoder) decodeBackend(known bool) {
	var said []string
	for _, means := range Backends {
		if d.doc.Get(string(means)).IsPresent() {
			said = append(said, string(means))
		}
	}
	switch {
	case len(said) == 0:
		d.doc.Value().Add(diag.DefImpl, "missing implementation: set one of the keys %s", strings.Join(backendNames(), ", "))
		return
	case len(said) > 1:
		d.doc.Key(said[1]).Add(diag.DefImpl, "several implementations: %s", strings.Join(said, ", ")).Hint = "keep only one of them"
		return
	}
	before := len(d.file.Findings())
	switch v := d.doc.Get(said[0]); Backend(said[0]) {
	case BackendExec:
		d.decodeProgram(v, known)
	case BackendHTTP:
		d.decodeRequest(v, known)
	default:
		d.decodeBuiltin(v)
	}
	d.backendInvalid = len(d.file.Findings()) > before
}

func backendNames() []string {
	out := make([]string, len(Backends))
	for i, m := range Backends {
		out[i] = string(m)
	}
	return out
}

func (d *decoder) decodeBuiltin(v yamldoc.Value) {
	name, ok := v.Text()
	if ok && d.Builtins != nil && !slices.Contains(d.Builtins, name) {
		f := v.Add(diag.DefImpl, "unknown built-in tool %q", name)
		if f.Hint = schema.DidYouMean(name, d.Builtins); f.Hint == "" {
			f.Hint = "built-in tools are " + strings.Join(d.Builtins, ", ")
		}
	}
	effect, least := d.doc.Get("effect"), builtinNamed(name).Effect
	switch {
	case d.def.Effect == Read && least == Write:
		effect.Add(diag.DefValue, "%s makes changes, so the effect cannot be read", name)
	case d.def.Effect != Exec && least == Exec:
		effect.Add(diag.DefProgram, "%s runs programs, so the effect must be exec", name)
	}
	d.def.Builtin = name
	d.checkBuiltinFormats()
	d.addBuiltinLabels()
}
