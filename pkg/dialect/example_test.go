package dialect_test

import (
	"fmt"

	"oneshot/pkg/dialect"
)

func ExampleScan() {
	d, _ := dialect.Lookup("tool")
	r := dialect.Scan("I will look.\n```tool\nreturn wget(\"https://example.com/\", 5_000)\nwget(url)\n```\n", dialect.Options{Dialect: d})
	for _, call := range r.Calls {
		fmt.Println(call.Name, string(call.Arguments), call.Status)
	}
	for _, finding := range r.Findings {
		fmt.Println(finding)
	}
	// Output:
	// wget ["https://example.com/",5000] ok
	// wget  invalid
	// 4:6: error TC217 not-a-literal: url is not a literal: expressions are not evaluated
}
