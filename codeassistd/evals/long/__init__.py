"""`eval long`: what number formats of cache and weights break first, told by long functions, deep brackets and strings.

The parts that others may use: `make_probes` gives texts, `read_trace` what one model makes of one, and `agreement` and
`figures` compare two models' traces.
"""
