package policy

import (
	"encoding/json"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// A document is the JSON form of a policy.
type document struct {
	Version      int                     `json:"version"`
	EnableExec   bool                    `json:"enable_exec"`
	RequireNonce bool                    `json:"require_nonce"`
	Tools        map[string]toolDocument `json:"tools"`
	Programs     programsDocument        `json:"programs"`
	Files        filesDocument           `json:"files"`
	Budget       struct {
		Calls   *int      `json:"calls"`
		Writes  *int      `json:"writes"`
		Tokens  *int      `json:"tokens"`
		Wall    string    `json:"wall"`
		CostUSD *chat.USD `json:"cost_usd"`
	} `json:"budget"`
	Taint struct {
		OnTrifecta Verdict                   `json:"on_trifecta"`
		Allow      map[string][]ruleDocument `json:"allow"`
	} `json:"taint"`
	Labels map[string][]labelDocument `json:"labels"`
	Input  struct {
		Labels []tool.Label `json:"labels"`
	} `json:"input"`
	Tests []testDocument `json:"tests"`
}

type labelDocument struct {
	Effect tool.Effect                `json:"effect"`
	Args   map[string]json.RawMessage `json:"args"`
	Add    []tool.Label               `json:"add"`
}

type toolDocument struct {
	Allow []ruleDocument `json:"allow"`
	Ask   []ruleDocument `json:"ask"`
	Deny  []ruleDocument `json:"deny"`
	Limit *limitDocument `json:"limit"`
}

type ruleDocument struct {
	ID      string                     `json:"id"`
	Effect  tool.Effect                `json:"effect"`
	Args    map[string]json.RawMessage `json:"args"`
	Because string                     `json:"because"`
	Set     map[string]json.RawMessage `json:"set"`
	Limit   *limitDocument             `json:"limit"`

	OnUnknown string `json:"on_unknown"`
}

type limitDocument struct {
	Calls *int            `json:"calls"`
	Rate  string          `json:"rate"`
	Burst int             `json:"burst"`
	Per   string          `json:"per"`
	Bytes json.RawMessage `json:"bytes"`

	ModelBytes json.RawMessage `json:"model_bytes"`
}

type testDocument struct {
	Call struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	} `json:"call"`
	Expect Verdict `json:"expect"`
}
