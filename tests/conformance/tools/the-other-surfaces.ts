return (await callMCPTool('test-tools__add', { a: 1, b: 2 })).sum;
