return (await tools.$servers()).find((server) => server.name === 'odd').tools > 7;
