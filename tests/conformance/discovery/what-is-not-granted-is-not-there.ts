return [(await tools.$servers()).map((server) => server.name), 'odd' in tools, (await tools.$search('own name')).length];
