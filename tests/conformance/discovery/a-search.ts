return (await tools.$search('add numbers', { limit: 1 })).map(({ server, name }) => [server, name]);
