import json
import builtins
json.dumps = lambda *given: 'mine'
json.loads = lambda *given: 'mine'
builtins.dict = list
return (await host.add(a=1, b=2)).sum
