"""``python -m sightline`` is the command."""

from sightline.cli import main

if __name__ == "__main__":
    main()
