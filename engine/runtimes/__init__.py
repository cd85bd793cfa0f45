"""One folder a runtime; `registry` lists them."""
