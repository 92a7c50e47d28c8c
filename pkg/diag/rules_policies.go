package diag

// Codes for policies.
const (
	PolicyValue    Code = "TP001"
	PolicyTool     Code = "TP002" // an unknown tool
	PolicyArgument Code = "TP003" // an unknown argument
	PolicyTest     Code = "TP004" // a test that fails
	PolicyWritable Code = "TP005" // a file that other users can write
	ExposedData    Code = "TP007" // a call that could leak private data
	PolicyPrograms Code = "TP008" // how programs run
)

// policyRules documents the TP codes.
var policyRules = []Rule{
	{
		Code: PolicyValue, Slug: "bad-rule", Severity: Error,
		Title: "A pattern, rate or name in a policy is invalid",
		Text: "An invalid rule could mean anything, so the policy is rejected. In globs, * matches the characters of one part, ? a single one, and " +
			"** is a part of its own. Hosts are full names, or *.NAME for all subdomains. Regular expressions are RE2 and must match the whole " +
			"text. Rule ids are unique.",
		Bad:  `{version: 1, tools: {wget: {allow: [{args: {uri: {host: ["docs.*.org"]}}}]}}}`,
		Good: `{version: 1, tools: {wget: {allow: [{args: {uri: {host: ["*.example.org"]}}}]}}}`,
	},
	{
		Code: PolicyTool, Slug: "policy-unknown-tool", Severity: Error,
		Title: "A policy has rules for an unknown tool",
		Text: "A rule for a misspelled tool denies nothing. The known tools are the built-in ones and those in --tools, whether or not a run " +
			"uses them.",
		Bad:  `{version: 1, tools: {wgte: {deny: [{}]}}}`,
		Good: `{version: 1, tools: {wget: {deny: [{}]}}}`,
	},
	{
		Code: PolicyArgument, Slug: "policy-unknown-argument", Severity: Error,
		Title: "A rule names an argument that the tool does not have",
		Text:  "It would never match: a deny rule would deny nothing.",
		Bad:   `{version: 1, tools: {wget: {deny: [{args: {url: {host: [evil.example]}}}]}}}`,
		Good:  `{version: 1, tools: {wget: {deny: [{args: {uri: {host: [evil.example]}}}]}}}`,
	},
	{
		Code: PolicyTest, Slug: "failed-policy-test", Severity: Error,
		Title: "A policy test fails",
		Text:  "The calls in tests are evaluated when the policy is loaded. A policy that decides differently than its author expects is rejected.",
		Bad:   `{version: 1, tools: {wget: {allow: [{}]}}, tests: [{call: {tool: wget, args: {uri: "https://evil.example/"}}, expect: deny}]}`,
		Good:  `{version: 1, tools: {wget: {}}, tests: [{call: {tool: wget, args: {uri: "https://evil.example/"}}, expect: deny}]}`,
	},
	{
		Code: PolicyWritable, Slug: "writable-policy", Severity: Error,
		Title: "Other users can change a policy",
		Text: "The file is writable by everyone or by a group other than the one that only its user is in, or belongs to a user who is neither root nor the one who runs oneshot, even if " +
			"that is root. Run chmod go-w FILE or chown FILE.",
		Bad:  "a file of mode 0666, or of another user",
		Good: "a file of mode 0644",
	},
	{
		Code: ExposedData, Slug: "exposed-data", Severity: Warning,
		Title: "A call could leak private data, and no policy decides on it",
		Text: "The run has read untrusted data, such as a page, and private data, such as a file, and now makes a call whose arguments reach " +
			"others. The page may have asked for it. With --policy, such calls are denied unless the policy allows them (taint).",
		Bad:  "wget of a page, file_read of a note, then wget of another page, in a run without a policy",
		Good: "the same with a policy that names the host of the second page",
	},
	{
		Code: PolicyPrograms, Slug: "bad-programs", Severity: Error,
		Title: "A policy's settings for programs cannot be enforced",
		Text: "Directories are absolute and in canonical form, or below the root of the run. The root itself cannot be writable: the kernel " +
			"confines programs to directories, not to files, so they could change files that other programs execute or read as configuration. " +
			"Variables that make a program load or run other code, such as LD_PRELOAD, are never passed on.",
		Bad:  `{version: 1, tools: {}, programs: {sandbox: {write: ["."]}}}`,
		Good: `{version: 1, tools: {}, programs: {sandbox: {write: [out]}}}`,
	},
}
