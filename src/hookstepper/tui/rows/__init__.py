"""What each view writes, line by line: pure functions from facts to rows of characters and role words.

Nothing here knows a terminal library, so every view has a plain-text golden. Text of the program under debug
reaches a row only through `lines.shown`, which takes control characters out of it.
"""
