package diag

// runFileRules documents the TR codes.
var runFileRules = []Rule{
	{
		Code:     RunDamaged,
		Slug:     "damaged",
		Severity: Error,
		Title:    "A run file is damaged.",
		Text: "A line before the last one does not carry the checksum of its own bytes, or carries it and cannot be read. " +
			"A crash cannot do that: the file was edited, or the disk lost data. Nothing after the place can be trusted, so the run is neither continued nor replayed.",
		Bad:  `{"seq":2,"run":"20261121T084759Z-3f9ac2","kind":"request",…,"turn":7,"crc":"5d0c1a2b"}  (turn was edited from 1 to 7)`,
		Good: `{"seq":2,"run":"20261121T084759Z-3f9ac2","kind":"request",…,"turn":1,"crc":"5d0c1a2b"}`,
	},
	{
		Code:     RunTorn,
		Slug:     "torn",
		Severity: Warning,
		Title:    "The last line of a run file was not completely written.",
		Text: "The run was ended while it appended a record: by a signal, a full disk or a power cut. A record counts only when it is whole, " +
			"so everything before the torn line stands, and continuing the run cuts the line off.",
		Bad:  `{"seq":9,"run":"20261121T084759Z-3f9ac2","kind":"resu`,
		Good: `{"seq":9,"run":"20261121T084759Z-3f9ac2","kind":"result",…,"crc":"0b41c9e7"}`,
		Fix:  Safe,
	},
	{
		Code:     RunSequence,
		Slug:     "sequence",
		Severity: Error,
		Title:    "A record of a run file is out of sequence or belongs to another run.",
		Text: "Records are numbered 1, 2, 3, … and each names its run. A number that is repeated or left out, or the id of another run, means that records were copied, " +
			"deleted or mixed. The file is refused: to go on could repeat a write that was done already.",
		Bad:  `{"seq":4,…} followed by {"seq":4,…}`,
		Good: `{"seq":4,…} followed by {"seq":5,…}`,
	},
	{
		Code:     RunVersion,
		Slug:     "version",
		Severity: Error,
		Title:    "A run file has a version that this program does not read.",
		Text:     "The first record names the version of the format. Another version may mean anything, so it is refused and not guessed at.",
		Bad:      `{"seq":1,…,"kind":"run",…,"version":99,…}`,
		Good:     `{"seq":1,…,"kind":"run",…,"version":2,…}`,
	},
	{
		Code:     RunUnordered,
		Slug:     "unordered",
		Severity: Error,
		Title:    "A record stands where it cannot stand.",
		Text: "Each record is whole, but together they tell no possible run: a result without a call, a response without a request, a new request while a write has no outcome, " +
			"a second result of one call, anything after the end. The file was put together by hand or written by a program with a bug.",
		Bad:  `a "result" record with "call":"c3" and no "call" record with "id":"c3" before it`,
		Good: `"call" with "id":"c3", then "intent" when it writes, then "result" with "call":"c3"`,
	},
}
