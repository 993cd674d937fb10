# Starts a host in the user's interpreter: PYTHON boot.py FD
#
# This file stands alone in its folder, so that running it puts nothing else on sys.path. It must parse on
# any Python 3, since the interpreter is the user's; it does nothing unless it is run as a script.

import os
import sys


def boot():
    if sys.version_info < (3, 11):
        sys.stderr.write(
            "hookstepper needs Python 3.11 or later to debug in; %s is %d.%d\n"
            % (sys.executable, sys.version_info[0], sys.version_info[1])
        )
        return 3
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]
    package = os.path.dirname(here)
    # Loaded by its place, so that no path entry of ours is added and nothing of our site-packages leaks in.
    spec = importlib.util.spec_from_file_location(
        "hookstepper", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["hookstepper"] = module
    spec.loader.exec_module(module)
    from hookstepper.host.main import main

    fd = int(sys.argv[1])
    sys.argv[:] = sys.argv[2:] or [""]
    return main(fd)


if __name__ == "__main__":
    sys.exit(boot())
