package diag

// Codes about policies.
const (
	PolicyValue    Code = "TP001"
	PolicyTool     Code = "TP002" // a tool that there is not
	PolicyArgument Code = "TP003" // an argument that a tool does not have
	PolicyTest     Code = "TP004" // a test that fails
	PolicyMode     Code = "TP005" // a file that others may write
	PolicyUnheld   Code = "TP006" // a rule to which nobody holds a run
	ExposedData    Code = "TP007" // a call that could carry private data away
	PolicyPrograms Code = "TP008" // how programs run
)

// policyRules documents the TP codes.
var policyRules = []Rule{
	{
		Code: PolicyValue, Slug: "bad-rule", Severity: Error,
		Title: "A pattern, a rate or a name in a policy is wrong",
		Text: "A rule that cannot be read could mean anything, so the policy is not used. Globs have * for the characters of a part, ? for one and ** as a part of its own; " +
			"hosts are written out, or *.NAME for all below one; regular expressions are those of RE2 and stand for all of a text; no two rules have the same id.",
		Bad:  `{version: 1, tools: {wget: {allow: [{args: {uri: {host: ["docs.*.org"]}}}]}}}`,
		Good: `{version: 1, tools: {wget: {allow: [{args: {uri: {host: ["*.example.org"]}}}]}}}`,
	},
	{
		Code: PolicyTool, Slug: "policy-unknown-tool", Severity: Error,
		Title: "A policy has rules for a tool that there is not",
		Text:  "A rule for a tool whose name is misspelt denies nothing. The tools are those that are shipped and those of --tools, whether a run uses them or not.",
		Bad:   `{version: 1, tools: {wgte: {deny: [{}]}}}`,
		Good:  `{version: 1, tools: {wget: {deny: [{}]}}}`,
	},
	{
		Code: PolicyArgument, Slug: "policy-unknown-argument", Severity: Error,
		Title: "A rule is about an argument that the tool does not have",
		Text:  "It would never hold: a rule that denies would deny nothing.",
		Bad:   `{version: 1, tools: {wget: {deny: [{args: {url: {host: [evil.example]}}}]}}}`,
		Good:  `{version: 1, tools: {wget: {deny: [{args: {uri: {host: [evil.example]}}}]}}}`,
	},
	{
		Code: PolicyTest, Slug: "failed-policy-test", Severity: Error,
		Title: "A test of a policy fails",
		Text:  "The calls in tests are judged when the policy is loaded. A policy that decides other than its author expects is not used.",
		Bad:   `{version: 1, tools: {wget: {allow: [{}]}}, tests: [{call: {tool: wget, args: {uri: "https://evil.example/"}}, expect: deny}]}`,
		Good:  `{version: 1, tools: {wget: {}}, tests: [{call: {tool: wget, args: {uri: "https://evil.example/"}}, expect: deny}]}`,
	},
	{
		Code: PolicyMode, Slug: "open-policy", Severity: Error,
		Title: "Others can change a policy",
		Text: "The file may be written by its group or by everybody, or belongs to a user who is neither root nor the one who runs oneshot, also where that is root. " +
			"chmod go-w FILE, or chown FILE, ends that.",
		Bad:  "a file of mode 0664, or of another user",
		Good: "a file of mode 0644",
	},
	{
		Code: PolicyUnheld, Slug: "unheld-rule", Severity: Error,
		Title: "A policy says something to which this version holds no run",
		Text: "The format knows what a run may cost in money, keys by which a service knows a call again, and what follows a crash; " +
			"this version enforces none of them. A policy that only seems to hold is worse than none, so it is not used.",
		Bad:  `{version: 1, tools: {}, budget: {calls: 10, cost_usd: 0.5}}`,
		Good: `{version: 1, tools: {}, budget: {calls: 10, tokens: 100000}}`,
	},
	{
		Code: ExposedData, Slug: "exposed-data", Severity: Warning,
		Title: "A call could carry private data away, and no policy decides over it",
		Text: "The run has got data that anybody can have written, such as a page, and data that is not for everybody, such as a file; " +
			"now it makes a call whose arguments reach others. The page may have asked for it. With --policy such calls are denied unless the file allows them (taint).",
		Bad:  "wget of a page, file_read of a note, then wget of another page, in a run without a policy",
		Good: "the same with a policy that names the host of the second page",
	},
	{
		Code: PolicyPrograms, Slug: "bad-programs", Severity: Error,
		Title: "What a policy says of programs cannot hold",
		Text: "Folders are absolute and in their shortest form, or below the root of the run. The root itself cannot be written: a kernel knows folders and no names in them, " +
			"so that programs could write what other programs run or obey. Variables by which a program is made to run another are never passed on, such as LD_PRELOAD.",
		Bad:  `{version: 1, tools: {}, programs: {sandbox: {write: ["."]}}}`,
		Good: `{version: 1, tools: {}, programs: {sandbox: {write: [out]}}}`,
	},
}
