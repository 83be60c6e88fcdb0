# The commands of a working day; `just` lists them. Each is one line that can be typed as well.

python := ".venv/bin/python"

# List the recipes.
default:
    @just --list

# Make .venv with the project and all that its tests need.
setup:
    python3 -m venv .venv
    {{python}} -m pip install --quiet --editable '.[test]'

# Run the tests, or those that are named: just test tests/test_config.py -k bounds
test *arguments:
    {{python}} -m pytest {{arguments}}

# Run the linters that the tests run.
lint:
    {{python}} -m ruff check .
    {{python}} -m ruff format --check .
    {{python}} -m mypy
    .venv/bin/lint-imports

# Build the site of docs/ into site/, strictly.
docs:
    {{python}} -m mkdocs build --strict

# Print the figures of docs/benchmarks.md anew: just bench, just bench postgres, just bench planning, just bench --short
bench *arguments:
    {{python}} tests/bench {{arguments}}
