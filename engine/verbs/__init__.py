"""One verb, one file: each joins the rooms."""
