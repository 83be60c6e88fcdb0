"""Random worlds, random statements, and what a plan claims of them: the parts of test_neighbours.py."""
