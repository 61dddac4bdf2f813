all = []
for name in ['__proto__', 'then', 'constructor', 'toString', 'get-item', 'get item', 'valueOf', '1st']:
    all.append(await tools.odd[name]())
return all
