package dialect

var pythonDialects []Dialect
