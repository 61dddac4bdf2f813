row = await tools.test_tools.echo(value={'user': {'name': 'Ada'}, 'tags': ['x', 'y']})
return [row.user.name, row['tags'][1], len(row.tags)]
