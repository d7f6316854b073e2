"""Other people's containers and outer loops, each in one file and imported when it is used."""
