/** An error in the shape of Stripe's API. */
export class StripeError extends Error {
  readonly status: number
  readonly body: { type: string; message: string; code?: string; param?: string; decline_code?: string }

  constructor(status: number, message: string, more: Partial<StripeError['body']> = {}) {
    super(message)
    this.status = status
    this.body = { type: 'invalid_request_error', message, ...more }
  }
}

/** Stripe's error for an unknown id in a path (404) or in a parameter (400, with `param`). */
export function missing(noun: string, id: string, param?: string): StripeError {
  return new StripeError(param ? 400 : 404, `No such ${noun}: '${id}'`, {
    code: 'resource_missing',
    param: param ?? 'id',
  })
}
