// The compiled part: beside this package's own files, or in the package for this platform.

import { createRequire } from 'node:module'
import process from 'node:process'

const require = createRequire(import.meta.url)
const platform = `${process.platform}-${process.arch}`

/** @returns {typeof import('../native.js')} */
function load() {
  const places = [`../ampoule.${platform}.node`, `@ampoule/node-${platform}`]
  const problems = places.map((place) => {
    try {
      return { found: require(place) }
    } catch (error) {
      return { error }
    }
  })
  const found = problems.find((one) => one.found)
  if (found) return found.found
  const missing = (/** @type {any} */ error) => error?.code === 'MODULE_NOT_FOUND'
  const broken = problems.find(({ error }) => !missing(error))?.error
  const why = broken ? `its library for ${platform} can't be loaded` : `no library for ${platform}; the package supports linux-x64`
  throw new Error(`ampoule: ${why}`, { cause: broken })
}

export const native = load()
