return await tools.test_tools.echo(value={'n': '007', 't': 'true'})
