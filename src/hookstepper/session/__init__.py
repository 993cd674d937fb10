"""The debugging session: breakpoints, stepping, jumps, answers. Pure: no thread, clock, socket or framework.

gates     Point ─arrive─▶ Stop (the task is to be held) or Verdict (it goes on)
wishes    Command ─handle─▶ effects for the host: release, run, publish
rest      Outcome ─ended─▶ effects
"""
