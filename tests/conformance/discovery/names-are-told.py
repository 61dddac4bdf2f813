return ['test-tools' in tools, 'nope' in tools, 'add' in tools.test_tools, 'nope' in tools.test_tools]
