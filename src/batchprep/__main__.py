"""`python -m batchprep`: the command line."""

from batchprep.cli import main

if __name__ == "__main__":
    main(prog_name="batchprep")
