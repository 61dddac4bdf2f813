return ['test-tools' in tools, 'nope' in tools, 'add' in tools.testTools, 'nope' in tools.testTools];
