package cmd

import (
	"encoding/json"

	"oneshot/pkg/agent"
)

// planDigest returns the digest of everything that the runs share and their results depend on: the content of files, the models
// and tools, and the flags that a resumed run must not change. It excludes the flags that a user may have to change to continue
// a batch, such as budgets and credentials.
func (b *batchRun) planDigest() (string, error) {
	f, s := b.flags, b.shared
	cfg := agent.Config{GateConfig: agent.GateConfig{Tools: s.tools, Policy: s.policy}}
	plan := map[string]any{
		"system": b.texts.system, "prompt": b.texts.prompt, "input": b.texts.input, "fields": b.texts.fieldDefaults(),
		"models": s.models.names, "servers": s.models.addresses(), "api": f.model.servers.api, "params": s.params,
		"tools": toolDigests(cfg), "policy": policyDigest(cfg), "managed policy": s.managed.digest(), "nonce": f.policy.nonce,
		"on-denied": f.onDenied, "require-tool": f.require,
	}
	if s.schema != nil {
		plan["schema"] = s.schema.Raw()
	}
	if f.confine.root != "" {
		plan["root"] = realPath(f.confine.root)
	}
	for name, row := range f.rows {
		isInTexts := row.agent&isPath != 0 || name == "var" || name == "var-file"
		flag := f.set.Lookup(name)
		isDefault := flag.Value.String() == flag.DefValue // a flag that a later version adds does not change the plan
		if row.resume == fixed && !isInTexts && !isDefault {
			plan["--"+name] = flagValues(flag)
		}
	}
	text, err := json.Marshal(plan)
	return digest(string(text)), err
}

// fieldDefaults returns the fields that the texts name, with the default of each, or nil if a record must have the field.
func (x *batchTexts) fieldDefaults() map[string]*string {
	defaults := map[string]*string{}
	for _, f := range x.fields {
		defaults[f.name] = f.fallback
	}
	return defaults
}

// addresses returns the addresses of the models' servers, without credentials.
func (m *chosenModels) addresses() (all []string) {
	for _, e := range m.endpoints {
		all = append(all, e.address())
	}
	return all
}
