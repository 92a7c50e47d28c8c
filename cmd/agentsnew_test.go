package cmd

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/tidwall/gjson"

	"oneshot/pkg/lint"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/tool"
)

// A new agent file is valid, and so is each commented-out key in it.
func TestAgentTemplate(t *testing.T) {
	text := fmt.Sprintf(agentTemplate, `"a \"b\": c"`)
	full := regexp.MustCompile(`(?m)^# ([a-z_]+: )`).ReplaceAllString(text, "$1")
	for name, text := range map[string]string{"as it is": text, "with all keys": full} {
		v := lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, nil).CheckFile("agent.yaml", []byte(text), lint.Agent)
		if len(v.Findings) > 0 || v.Agent == nil || v.Agent.Name != `a "b": c` {
			t.Errorf("%s: %v, %+v", name, v.Findings, v.Agent)
		}
	}
	_, docs := yamldoc.Read("agent.yaml", []byte(full), yamldoc.Codes{})
	doc, _ := docs[0].JSON()
	if n := len(gjson.ParseBytes(doc).Map()); n < 15 {
		t.Errorf("only %d keys", n)
	}
}
