try:
    await tools.test_tools.fail()
except ToolError as error:
    raise Exception('no report') from error
