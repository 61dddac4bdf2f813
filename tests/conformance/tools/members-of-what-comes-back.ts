const row = await tools.testTools.echo({ value: { user: { name: 'Ada' }, tags: ['x', 'y'] } });
return [row.user.name, row['tags'][1], row.tags.length];
