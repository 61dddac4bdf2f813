const [found] = await tools.$search('adds two numbers', { limit: 1 });
return (await tools[found.server][found.name]({ a: 20, b: 22 })).sum;
