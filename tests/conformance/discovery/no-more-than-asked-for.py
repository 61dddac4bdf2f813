return len(tools.search('', limit=3))
