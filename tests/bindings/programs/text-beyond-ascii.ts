const { name, größe, list } = env;
console.log(name, größe);
const echoed = await host.echo({ value: name + '\u202e\ufeff' });
return { name, größe, echoed, same: list[0] === list[1], upper: 'größe'.toUpperCase() };
