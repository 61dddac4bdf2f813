return next(server.tools for server in tools.servers() if server.name == 'odd') > 7
