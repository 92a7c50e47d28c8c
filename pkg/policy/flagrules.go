package policy

import (
	"path"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// FlagRules are the decisions of the user on the command line. The zero value allows reads and nothing else.
type FlagRules struct {
	Allow      []string        // globs of tools that may write or run programs; ignored if there are files
	Ask        []string        // globs of tools whose calls need approval; without files this also allows them
	Deny       []string        // globs of tools that must not be called
	ReadOnly   bool            // no tool may write
	EnableExec bool            // tools may run programs if a rule allows it
	Scopes     []string        // granted scopes
	Connected  []string        // available connections
	AllowHosts map[string]bool // host:port that early reads may reach
}

// decide decides about one call. If files is set, there are policy files, and flags can only
// restrict them further.
func (r FlagRules) decide(f Facts, files bool) Decision {
	d := r.denyOrAllow(f, files)
	if d.Verdict == Allow && matchesAnyGlob(r.Ask, f.Def.Name) {
		d.Verdict, d.Rule, d.Why, d.Early = Ask, "flag:ask", "--ask names this tool", false
	}
	return d
}

// denyOrAllow decides whether a call may run, asked about or not. Deny overrides everything. An invalid glob denies,
// because it could have meant any tool.
func (r FlagRules) denyOrAllow(f Facts, files bool) Decision {
	d := Decision{Verdict: Allow, Arguments: f.Arguments, Early: f.Def.Effect == tool.Read && r.canReachAll(f.hosts)}
	switch {
	case FirstInvalidGlob(r.Deny) != "":
		return d.deny("flag:deny", "invalid pattern in --deny")
	case FirstInvalidGlob(r.Ask) != "":
		return d.deny("flag:ask", "invalid pattern in --ask")
	case matchesAnyGlob(r.Deny, f.Def.Name):
		return d.deny("flag:deny", "--deny names this tool")
	case !r.hasRequiredScopes(f.Def):
		return r.missingScopesDenial(f.Def, d)
	case f.Def.Connection != "" && !slices.Contains(r.Connected, f.Def.Connection):
		d = d.deny("floor:connection", "this run lacks the connection %s", f.Def.Connection)
		d.Code, d.Hint = chat.ConnectionInactive, "give it with --connection "+f.Def.Connection
		return d
	case f.Def.Effect == tool.Read:
		d.Rule = "default:read"
		return d
	case r.ReadOnly:
		return d.deny("flag:read-only", "this run is read-only")
	case f.Def.Effect != tool.Write && !r.EnableExec:
		d = d.deny("floor:exec", "running commands is not allowed in this run")
		d.Hint = "allow it with --enable-exec"
		if !files && !matchesAnyGlob(r.Allow, f.Def.Name) && !matchesAnyGlob(r.Ask, f.Def.Name) {
			d.Hint += " and --allow " + f.Def.Name
		}
		return d
	case files:
		return d
	case matchesAnyGlob(r.Allow, f.Def.Name), matchesAnyGlob(r.Ask, f.Def.Name):
		d.Rule = "flag:allow"
		return d
	}
	d = d.deny("default:write", "this tool makes changes and is not allowed")
	d.Hint = "allow it with --allow " + f.Def.Name
	return d
}

// hasRequiredScopes reports whether the run has the scopes that a tool needs: all of one list, and any of the other.
func (r FlagRules) hasRequiredScopes(def *tool.Definition) bool {
	has := func(scope string) bool { return slices.Contains(r.Scopes, scope) }
	return len(r.missingScopes(def)) == 0 && (len(def.AnyScopes) == 0 || slices.ContainsFunc(def.AnyScopes, has))
}

// missingScopes returns the required scopes that the run lacks.
func (r FlagRules) missingScopes(def *tool.Definition) []string {
	return slices.DeleteFunc(slices.Clone(def.Scopes), func(scope string) bool { return slices.Contains(r.Scopes, scope) })
}

// missingScopesDenial returns the denial of a call that lacks scopes.
func (r FlagRules) missingScopesDenial(def *tool.Definition, d Decision) Decision {
	missing := r.missingScopes(def)
	switch {
	case len(missing) == 1:
		d = d.deny("floor:scopes", "this run has not been granted the scope %s", missing[0])
	case len(missing) > 1:
		d = d.deny("floor:scopes", "this run has not been granted the scopes %s", strings.Join(missing, ", "))
	default:
		d = d.deny("floor:scopes", "this run has been granted none of the scopes %s", strings.Join(def.AnyScopes, ", "))
		d.Code, d.Hint = chat.ScopesMissing, "grant one of them, for example with --scope "+def.AnyScopes[0]
		return d
	}
	d.Code, d.Hint = chat.ScopesMissing, "grant it with --scope "+strings.Join(missing, " --scope ")
	return d
}

// canReachAll reports whether a read may reach all hosts before its response is complete. A call that is never
// confirmed must not leak anything.
func (r FlagRules) canReachAll(hosts []string) bool {
	for _, h := range hosts {
		if !r.AllowHosts[h] {
			return false
		}
	}
	return true
}

// FirstInvalidGlob returns the first invalid glob, or "".
func FirstInvalidGlob(patterns []string) string {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return p
		}
	}
	return ""
}

// matchesAnyGlob reports whether a glob matches name. An invalid glob matches nothing: see [FirstInvalidGlob].
func matchesAnyGlob(globs []string, name string) bool {
	for _, g := range globs {
		if ok, err := path.Match(g, name); err == nil && ok {
			return true
		}
	}
	return false
}
