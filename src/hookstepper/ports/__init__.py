"""The contracts between engines and the debugger: what a target offers, what a probe is asked."""
