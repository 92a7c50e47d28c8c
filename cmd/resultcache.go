package cmd

import (
	"slices"
	"strings"

	"oneshot/pkg/agent"
	"oneshot/pkg/executor"
	"oneshot/pkg/tool"
)

// resultCache returns the cache of the results of reads, nil for none. A replay has none, even if it runs its tools.
func (p *sharedPlan) resultCache() *executor.ResultCache {
	tools := p.tools.All()
	if p.flags.confine.noCache || p.flags.model.isReplay() || !slices.ContainsFunc(tools, func(d *tool.Definition) bool { return d.Cache > 0 }) {
		return nil
	}
	dir, err := makeStateDir(p.env, "cache")
	if err != nil {
		p.console.note("results are not cached: %v", err)
		return nil
	}
	cfg := agent.Config{GateConfig: agent.GateConfig{Tools: p.tools, Policy: p.policy}}
	scope := []string{policyDigest(cfg), strings.Join(p.flags.confine.allowHosts, " ")}
	if root := p.flags.confine.root; root != "" {
		scope = append(scope, realPath(root))
	}
	for _, d := range tools {
		if d.HTTP == nil {
			continue
		}
		for _, name := range d.HTTP.Secrets { // the value too, so that another account has its own results
			scope = append(scope, d.Name, name, p.secret(name))
		}
	}
	return &executor.ResultCache{Store: cachedResults{dir, p.env.Now}, Scope: digest(scope...), Definitions: toolDigests(cfg)}
}
