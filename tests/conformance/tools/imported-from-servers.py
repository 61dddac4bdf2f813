from servers.test_tools import add
return (await add(a=1, b=2)).sum
