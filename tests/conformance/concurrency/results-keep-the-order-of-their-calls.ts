const after = async (ms) => { await tools.testTools.sleep({ ms }); return ms; };
return await Promise.all([after(200), after(1), after(80)]);
