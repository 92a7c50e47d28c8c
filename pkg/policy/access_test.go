package policy

import (
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// P5: a tool can need all of some scopes, one of several scopes, and a connection.
func TestAccess(t *testing.T) {
	all := []string{"mail.read", "mail.send"}
	any := []string{"a", "b"}
	for _, c := range []struct {
		name       string
		def        *tool.Definition
		scopes     []string
		connected  []string
		code       chat.ErrorCode // "" where it is allowed
		rule, hint string
	}{
		{"needs nothing", &tool.Definition{}, nil, nil, "", "default:read", ""},
		{"none of all", &tool.Definition{Scopes: all}, nil, nil, chat.ScopesMissing, "floor:scopes", "grant it with --scope mail.read --scope mail.send"},
		{"some of all", &tool.Definition{Scopes: all}, all[1:], nil, chat.ScopesMissing, "floor:scopes", "grant it with --scope mail.read"},
		{"all of all", &tool.Definition{Scopes: all}, []string{"mail.send", "x", "mail.read"}, nil, "", "default:read", ""},
		{"none of any", &tool.Definition{AnyScopes: any}, []string{"c"}, nil, chat.ScopesMissing, "floor:scopes", "grant one of them, for example with --scope a"},
		{"one of any", &tool.Definition{AnyScopes: any}, []string{"b"}, nil, "", "default:read", ""},
		{"all, and none of any", &tool.Definition{Scopes: all, AnyScopes: any}, all, nil, chat.ScopesMissing, "floor:scopes", "grant one of them, for example with --scope a"},
		{"a scope in another case", &tool.Definition{AnyScopes: any}, []string{"B"}, nil, chat.ScopesMissing, "floor:scopes", "grant one of them, for example with --scope a"},
		{"no connection", &tool.Definition{Connection: "mail"}, nil, nil, chat.ConnectionInactive, "floor:connection", "give it with --connection mail"},
		{"another connection", &tool.Definition{Connection: "mail"}, []string{"mail"}, []string{"mai", "Mail"}, chat.ConnectionInactive, "floor:connection", "give it with --connection mail"},
		{"the connection", &tool.Definition{Connection: "mail"}, nil, []string{"x", "mail"}, "", "default:read", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.def.Name, c.def.Effect, c.def.Schema = "x", tool.Read, []byte(`{}`)
			p := Policy{Flags: FlagRules{Scopes: c.scopes, Connected: c.connected}}
			d := p.Decide(&State{}, Facts{Def: c.def, Arguments: []byte(`{}`)})
			if d.Code != c.code || d.Rule != c.rule || d.Hint != c.hint || (d.Verdict == Allow) != (c.code == "") {
				t.Errorf("%+v", d)
			}
		})
	}
}

// The tests in a policy file check only its rules. Scopes, connections and known identifiers of a
// run do not matter.
func TestPolicyTestsAreAboutRules(t *testing.T) {
	defs, findings := tool.Loader{}.Parse("tools.yaml", []byte(`
name: mail
description: Read a mail.
parameters: {id: {type: string, identifier: true}}
examples: [{call: 'mail("a")'}, {call: 'mail("b")'}, {call: 'mail("c")'}]
effect: read
scopes: [mail.read]
connection: mail
builtin: x
`))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	tools, _ := tool.NewRegistry(defs...)
	for _, expect := range []Verdict{Allow, Deny} {
		doc := `{"version":1,"tools":{"mail":{"allow":[{"args":{"id":["a*"]}}]}},"tests":[{"call":{"tool":"mail","args":{"id":"a7"}},"expect":"` + string(expect) + `"}]}`
		if l, findings := Compile([]byte(doc), tools); (l != nil) != (expect == Allow) {
			t.Errorf("expect %s: %v", expect, findings)
		}
	}
}
