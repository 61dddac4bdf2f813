return all(tool.server == 'test-tools' for tool in tools.search('', server='test-tools', limit=100))
