"""Row function -> typed expressions: the AST traced on symbolic values."""
