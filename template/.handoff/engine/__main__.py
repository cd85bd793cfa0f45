"""Start the engine from its folder: `python3 -I -S -B .handoff/engine VERB …`."""

import os
import sys

# The engine is a package, so its parent goes on the path; last, so that nothing in the
# repository can stand in for a standard library module.
ENGINE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != ENGINE]
sys.path.append(os.path.dirname(ENGINE))

from engine import app  # noqa: E402

sys.exit(app.main(sys.argv[1:]))
