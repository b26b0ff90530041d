"""Judges pipelines by their JSON Schema, as editors do: with Python's jsonschema.

    python3 pipeline_schema.py VENV SCHEMA PIPELINE...

Makes the virtual environment VENV when it is missing, and runs itself in it. Prints `valid` or `broken` and the reason, a
line for each pipeline. Ends with 1 when the schema itself is not sound: not of draft-07, or with a default that it would
not take. With 77 when jsonschema cannot be installed.
"""
import json
import sys

from environment import enter


def main(schema_path, *pipelines):
    import jsonschema
    import yaml

    with open(schema_path, encoding='utf-8') as file:
        schema = json.load(file)
    draft = jsonschema.Draft7Validator
    assert schema['$schema'] == draft.META_SCHEMA['$schema'], schema['$schema']
    draft.check_schema(schema)
    defaults = 0
    for item in schema['properties']['stages']['items']['oneOf']:
        for stage in item.get('properties', {}).values():
            for name, option in stage['properties'].items():
                if 'default' in option:
                    draft(option).validate(option['default'])
                    defaults += 1
    print(f'sound: {defaults} defaults')
    for path in pipelines:
        with open(path, encoding='utf-8') as file:
            error = jsonschema.exceptions.best_match(draft(schema).iter_errors(yaml.safe_load(file)))
        print('valid' if error is None else f'broken: {error.message.splitlines()[0][:200]}')


if __name__ == '__main__':
    enter(sys.argv[1], ['jsonschema', 'pyyaml'])
    main(*sys.argv[2:])
