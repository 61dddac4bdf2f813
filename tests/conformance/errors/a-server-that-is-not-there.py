await tools.tes_tools.add(a=1, b=2)
