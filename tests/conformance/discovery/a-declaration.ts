const text = await tools.$describe('test-tools.add');
return ['Adds two numbers.', 'a', 'b'].every((part) => text.includes(part));
