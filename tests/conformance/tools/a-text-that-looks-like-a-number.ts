return (await tools.testTools.echo({ value: { n: '007', t: 'true' } }));
