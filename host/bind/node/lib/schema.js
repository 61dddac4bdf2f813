// Tools' schemas, in whatever way they are written, as JSON Schema; and values that they check.

const TARGET = 'draft-2020-12'

/**
 * A schema as JSON Schema: of what goes into it, or of what comes out.
 * @param {any} schema
 * @param {'input' | 'output'} side
 * @returns {Record<string, unknown> | undefined}
 */
export function jsonSchema(schema, side) {
  const known = typeof schema === 'function' && !('~standard' in schema) ? schema() : schema
  if (known === undefined || known === null) return undefined
  const standard = known['~standard']
  if (standard) {
    const made = standard.jsonSchema?.[side]
    if (!made) throw new TypeError(`${standard.vendor} does not say what its schemas are as JSON Schema: zod does from 4.2 on`)
    return plain(made({ target: TARGET }))
  }
  // The AI SDK's own. It may be a promise.
  const wrapped = typeof known === 'object' && 'jsonSchema' in known ? known.jsonSchema : known
  if (typeof wrapped?.then === 'function') throw new TypeError('its schema is a promise: await it before you give the tool')
  if (typeof wrapped !== 'object' || wrapped === null || Array.isArray(wrapped)) {
    throw new TypeError('its schema is not one: a JSON Schema is an object')
  }
  if ('_def' in wrapped) throw new TypeError('its schema is of a zod that does not say what it is as JSON Schema: zod does from 4.2 on')
  return plain(wrapped)
}

/**
 * Without the draft of JSON Schema: hosts then use 2020-12.
 * @param {Record<string, unknown>} schema
 */
function plain({ $schema, ...schema }) {
  return $schema === undefined || String($schema).includes('2020-12') ? schema : { $schema, ...schema }
}

/**
 * The value as its schema has it, with defaults and the like. A schema that can't check lets everything pass: the host has
 * held the arguments against its JSON Schema.
 * @param {any} schema
 * @param {unknown} value
 */
export async function checked(schema, value) {
  const known = typeof schema === 'function' && !('~standard' in schema) ? schema() : schema
  const standard = known?.['~standard']
  if (standard) {
    const result = await standard.validate(value)
    if (result.issues) throw new Error(`the arguments do not fit: ${result.issues.map(told).join('; ')}`)
    return result.value
  }
  if (typeof known?.validate === 'function') {
    const result = await known.validate(value)
    if (!result.success) throw new Error(`the arguments do not fit: ${result.error?.message ?? 'its schema refuses them'}`)
    return result.value
  }
  return value
}

/** @param {import('../index.js').Issue} issue */
function told({ message, path }) {
  const place = path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return place ? `${place}: ${message}` : message
}
