package agent

import (
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
)

// P9: a tier applies to the tokens of one request, also after a resume: two short requests do not count as a long one.
func TestTiersOfResumedRuns(t *testing.T) {
	price, err := pricing.ParsePrice([]byte(`{"input":1,"output":0,"tiers":[{"above":200000,"input":10}]}`))
	if err != nil {
		t.Fatal(err)
	}
	usage := chat.Usage{InputTokens: 150_000}
	log := &runfile.Log{}
	for i, body := range []runfile.Body{
		runfile.Response{By: "m", Usage: usage}, // repeated by the resumed run
		runfile.Response{By: "m", Usage: usage, BrokenOff: "the connection was cut"},
		runfile.Attempt{Attempt: chat.Attempt{By: "m", Usage: usage, Charged: true}},
		runfile.Attempt{Attempt: chat.Attempt{By: "m", Usage: usage}},
		runfile.Response{By: "m", Usage: chat.Usage{InputTokens: 200_001}, BrokenOff: "the connection was cut"},
	} {
		log.Records = append(log.Records, runfile.Record{Header: runfile.Header{Seq: i + 1, Kind: body.Kind()}, Body: body})
	}
	l := newLedger(Prices{Of: pricing.Prices{"m": price}}, unrepeated(log, log.Records[:1]))
	u, cost := l.total()
	if want := "2.30001"; !cost.Known || cost.Amount.String() != want || u.InputTokens != 500_001 || len(l.models) != 1 || l.models[0].Requests != 2 {
		t.Errorf("%d tokens cost %s (%+v), want %s", u.InputTokens, cost.Amount, l.models, want)
	}
}
