await tools.testTools.echo({ value: 'x'.repeat(2000) });
