"""Validates a manifest, in JSON or YAML, by a schema."""

import json
import sys

import jsonschema
import yaml

schema, manifest = sys.argv[1:]
with open(schema, encoding="utf-8") as file:
    schema = json.load(file)
with open(manifest, encoding="utf-8") as file:
    manifest = yaml.safe_load(file)
jsonschema.validators.validator_for(schema).check_schema(schema)
jsonschema.validate(manifest, schema)
