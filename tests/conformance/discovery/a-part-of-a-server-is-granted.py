try:
    await tools.test_tools.fail()
except AttributeError:
    result = (await tools.test_tools.add(a=1, b=2)).sum
