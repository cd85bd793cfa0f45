"""What `handoff view` shows: the values of a timeline, how they read, and the page's own files."""
