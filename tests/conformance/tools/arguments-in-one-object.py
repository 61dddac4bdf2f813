given = {'a': 40, 'b': 2}
return (await tools.test_tools.add(given))['sum']
