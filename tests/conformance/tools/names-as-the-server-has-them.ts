return (await tools['test-tools']['add']({ a: 1, b: 2 })).sum;
