await tools.test_tools.ad(a=1, b=2)
