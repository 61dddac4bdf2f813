return [strings.body, strings["the title"]];
