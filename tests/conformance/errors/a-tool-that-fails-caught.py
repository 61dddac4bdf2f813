try:
    await tools.test_tools.fail()
except ToolError as error:
    return [isinstance(error, ToolError), type(error).__name__, error.kind, error.server, error.tool, error.message, error.content]
