"""hookstepper: an interactive, visual debugger for AI-agent graphs, in the terminal."""

__version__ = "0.1.0"
