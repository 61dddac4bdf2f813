"""A `CodeTool` as the tool of other people's agents: a module for each package, which it imports."""
