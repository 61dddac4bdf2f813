value = {'text': 'é😀\n"', 'list': [1, -2.5, 1e300, None, True, [], {}], 'deep': {'a': [{'b': 'c'}]}, '': 0}
return await tools.test_tools.echo(value=value)
