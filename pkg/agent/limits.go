package agent

import (
	"time"

	"oneshot/pkg/chat"
)

// Limits bound a run. Zero is no limit, except for Repairs and Reminders, where it allows none.
type Limits struct {
	Turns     int           // requests
	Calls     int           // calls
	Repeats   int           // identical calls: same tool, same arguments
	Repairs   int           // invalid answers sent back
	Reminders int           // replies in a row without a call
	Tokens    int           // input and output of all requests
	Cost      chat.USD      // of all requests; needs Config.Prices
	Wall      time.Duration // wall-clock time, without the time between the end of a run and its resumption
}

// DefaultLimits returns the limits of a run that sets none.
func DefaultLimits() Limits {
	return Limits{Turns: 20, Calls: 100, Repeats: 3, Repairs: 2, Reminders: 2, Wall: 10 * time.Minute}
}
