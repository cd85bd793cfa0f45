"""What `doctor` looks at: the project's own state, and each runtime's evidence."""
