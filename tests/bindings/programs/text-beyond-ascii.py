import os
größe = os.environ['größe']
print(env['name'], größe)
echoed = await host.echo(value=os.environ['name'] + '\u202e\ufeff')
return {'name': env['name'], 'größe': größe, 'echoed': echoed, 'same': env['list'][0] == env['list'][1], 'upper': 'größe'.upper()}
