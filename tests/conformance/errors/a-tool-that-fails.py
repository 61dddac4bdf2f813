before = 1
await tools.test_tools.fail()
