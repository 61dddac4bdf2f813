import tools as tools
from tools import Object as _Object, ToolError as ToolError

env: _Object
"""The values that the run was given, such as those of `--arguments`."""
