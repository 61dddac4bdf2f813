value = {'text': 'ß\u0000\u2028"\\', 'list': [None, True, -0.5, 1e300], 'deep': [[[[[[{}]]]]]]}
return await tools.host.echo(value=value)
