/** Copies of the service's limits: the image holds only this folder. `test/agent/kit/limits.test.ts` compares them. */

/** Maximum hold of a poll, seconds. */
export const maxWaitSeconds = 20

/** An open prompt is handed out again after this time without a report, ms. */
export const leaseMs = 120_000

/** A task is handed out again after this time without a report, ms. */
export const taskLeaseMs = 60_000

/** Larger files go through storage, bytes. */
export const inlineBytes = 128 * 1024

/** Maximum samples of a report: one a minute. */
export const maxSamples = 60

export const maxActivitiesAtOnce = 20

/** Default and minimum life of a question, seconds. */
export const questionSeconds = { usual: 600, least: 30 }

/** Per message; bytes per file. */
export const maxAttachments = 10
export const maxAttachmentBytes = 20_000_000

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Codes of the service's errors. */
export const errorCodes = [
  'unauthorized',
  'forbidden',
  'not-found',
  'validation',
  'invalid-json',
  'rate-limited',
  'wallet-empty',
  'spending-limit',
  'wallet-suspended',
  'repeated-calls',
  'provider-error',
  'too-large',
  'missing-id',
  'conflict',
  'internal',
] as const

/** Vendors' error types by status, which their SDKs read. */
export const vendorErrorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

export const cannotStartTexts = {
  'volume-full':
    'Your agent cannot start because its volume is full. Delete files you no longer need; the agent starts by itself then.',
  configuration:
    'Your agent cannot start because its machine could not put the configuration in place. The machine keeps trying. If this lasts, restore a restore point or write to support.',
  volume:
    'Your agent cannot start because its machine could not make the volume ready. The machine keeps trying. If this lasts, restore a restore point or write to support.',
  crash:
    'Your agent cannot start because its program ends again and again. The machine keeps starting it, and its log says more. If this lasts, choose another runtime, restore a restore point or write to support.',
  'out-of-memory':
    'Your agent cannot start because its program takes more memory than the machine has, again and again. The machine keeps starting it. A larger plan has more memory.',
} as const
