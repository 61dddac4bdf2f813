// A call of a tool, and the signal that nobody waits for it any more.

export class Call {
  #givenUp = false
  #controller = /** @type {AbortController | undefined} */ (undefined)

  /**
   * @param {string} run
   * @param {number} number which of the run's calls it is
   * @param {string} server
   * @param {string} tool
   * @param {string} json its arguments
   */
  constructor(run, number, server, tool, json) {
    this.run = run
    this.id = `${run}:${number}`
    this.server = server
    this.tool = tool
    this.json = json
  }

  /** Aborted when nobody waits for the call any more. Made for whoever asks for it: most tools do not. */
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
