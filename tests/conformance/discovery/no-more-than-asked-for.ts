return (await tools.$search('', { limit: 3 })).length;
