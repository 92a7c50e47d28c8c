package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"oneshot/pkg/agent"
)

// digest returns the SHA-256 of a list of texts. It includes their lengths, so that moving text from one to the next
// changes it.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t) // writes to a hash never fail
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// toolDigests identify the definitions of the tools, by name.
func toolDigests(cfg agent.Config) map[string]string {
	if cfg.Tools == nil {
		return nil
	}
	digests := map[string]string{}
	for _, d := range cfg.Tools.All() {
		texts := []string{d.Description, string(d.Schema), string(d.Effect), d.Builtin, strings.Join(d.Scopes, " "), fmt.Sprint(d.Labels),
			fmt.Sprint(d.AnyScopes, d.Connection, d.Identifiers, d.Ask), fmt.Sprint(d.Returns, d.Idempotent, d.KeyEnv, d.Timeout, d.Rate, d.MaxBytes, d.ModelBytes, d.Tags)}
		if d.PromptExamples != nil {
			texts = append(texts, "prompt_examples "+strconv.Itoa(*d.PromptExamples))
			for _, e := range d.Examples {
				texts = append(texts, e.Call)
			}
		}
		if d.Exec != nil {
			texts = append(texts, string(d.Exec.Raw))
		}
		if d.HTTP != nil {
			texts = append(texts, string(d.HTTP.Raw), d.KeyHeader)
		}
		digests[d.Name] = digest(texts...)
	}
	return digests
}

func policyDigest(cfg agent.Config) string {
	text, err := json.Marshal(cfg.Policy.Flags)
	if err != nil {
		panic(err) // strings and booleans always have a JSON form
	}
	texts := []string{string(text)}
	for _, l := range cfg.Policy.Layers {
		texts = append(texts, string(l.Raw))
	}
	return digest(texts...)
}
