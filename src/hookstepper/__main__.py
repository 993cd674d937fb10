"""`python -m hookstepper` is the command."""

from hookstepper.cli.main import entry

if __name__ == "__main__":
    entry()
