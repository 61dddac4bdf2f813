// A call, of a tool or on its way through layers, and the signal of its cancellation.

export class Call {
  #givenUp = false
  /** Whether layers have sent it on. */
  sent = false
  #controller = /** @type {AbortController | undefined} */ (undefined)

  /** @param {import('../native.js').Message} message */
  constructor({ number, run = '', call = 0, server = '', tool = '', passing = false, principal, json = '{}' }) {
    /** What it is answered under. */
    this.asked = number
    this.run = run
    /** Which of the run's calls it is. */
    this.number = call
    this.id = `${run}:${call}`
    this.server = server
    this.tool = tool
    /** Whether it is for layers to let it pass. */
    this.passing = passing
    this.principal = principal
    /** Its arguments. */
    this.json = json
  }

  /** Aborted when the call is cancelled. Made on first use: most tools do not use it. */
  get signal() {
    this.#controller ??= new AbortController()
    if (this.#givenUp) this.#controller.abort()
    return this.#controller.signal
  }

  giveUp() {
    this.#givenUp = true
    this.#controller?.abort()
  }
}
