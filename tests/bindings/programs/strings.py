[strings.body, strings["the title"]]
