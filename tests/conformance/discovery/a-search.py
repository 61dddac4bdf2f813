return [[found.server, found.name] for found in tools.search('add numbers', limit=1)]
