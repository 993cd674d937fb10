"""One live debugging conversation without a screen: process, wire, trace, breakpoints and cursor."""
