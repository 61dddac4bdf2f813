try:
    await host.fail(message='the shop is closed ✓')
except ToolError as error:
    return [type(error).__name__, str(error)]
