/** A refusal of Slack's API: status 200, `ok: false` and this code. */
export class SlackError extends Error {
  readonly code: string
  /** Slack's explanation: `[ERROR] …`. */
  readonly messages: string[]

  constructor(code: string, ...messages: string[]) {
    super(code)
    this.code = code
    this.messages = messages
  }
}

/** Too many calls: status 429 with `Retry-After`. */
export class TooMany extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super('ratelimited')
    this.seconds = seconds
  }
}
