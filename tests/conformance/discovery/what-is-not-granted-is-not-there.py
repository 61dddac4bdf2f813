return [[server.name for server in tools.servers()], 'odd' in tools, len(tools.search('own name'))]
