"""`python -m watchword` is the command line."""

from watchword.cli.app import main

main()
