await tools.test_tools.add(a=1)
