return 'add' in list(tools.test_tools)
