return (await tools.$search('', { server: 'test-tools', limit: 100 })).every((tool) => tool.server === 'test-tools');
