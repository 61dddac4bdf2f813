return await tools.$search('zebra crossing');
