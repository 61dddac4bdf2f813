from servers.test_tools import ad
await ad(a=1, b=2)
