package dialect

var channelDialects []Dialect
