package cmd

import (
	"testing"

	"oneshot/pkg/lint"
	"oneshot/pkg/tool"
)

// C3: validate keeps no text of a file without findings, however many files there are.
func TestValidateKeepsTexts(t *testing.T) {
	o := &validateOptions{findings: findingOptions{failOn: "error"}}
	if err := o.findings.selectCodes(); err != nil {
		t.Fatal(err)
	}
	v := &validation{validateOptions: o, checker: lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, nil)}
	for _, text := range []string{`{"type": "object"}`, `{"properties": {"title": {"type": "strng"}}}`} {
		if err := v.check(file{name: "x.json", text: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(v.all) != 2 || !v.all[0].ok || v.all[0].text.Bytes != nil || v.all[1].ok || v.all[1].text.Bytes == nil {
		t.Errorf("verdicts %+v", v.all)
	}
}
