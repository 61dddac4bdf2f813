return sorted(server.name for server in tools.servers())
