return tools.search('zebra crossing')
