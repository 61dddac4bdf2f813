return (await tools.$servers()).map((server) => server.name).sort();
