"""Entry of the `hookstepper` command: reads the words, calls the command, turns errors into exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hookstepper.cli import exits
from hookstepper.cli.parser import build_parser, first_words
from hookstepper.model.errors import HookstepperError
from hookstepper.model.version import VERSION


def entry() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(words: Sequence[str]) -> int:
    """Run a command; gives its exit code. Data goes to standard output, talk to standard error."""
    if not words:
        sys.stdout.write(first_words())
        return exits.OK
    parser = build_parser(VERSION)
    try:
        arguments = parser.parse_args(list(words))
    except SystemExit as leaving:
        return exits.OK if leaving.code in (0, None) else exits.USAGE
    try:
        code: int = arguments.command(arguments)
    except HookstepperError as error:
        told = f"hookstepper: {error.message}\n" + (f"  {error.hint}\n" if error.hint else "")
        sys.stderr.write(told)
        return exits.USAGE
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does: nothing is left to say.
        sys.stderr.close()
        return exits.OK
    return code
