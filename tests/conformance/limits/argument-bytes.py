await tools.test_tools.echo(value='x' * 2000)
