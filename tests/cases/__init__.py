"""Row functions as people write them: the folder of shared cases, where there is one."""
