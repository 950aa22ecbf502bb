/**
 * Limits of the service under their names there, since the image holds this folder alone: `test/agent/limits.test.ts`
 * compares them. Those of growing replies stand in `growing-replies.ts`.
 */

/** How long a poll may be held back, seconds. */
export const maxWaitSeconds = 20

/** A prompt that is not closed is handed out again after this time; what is said of it prolongs that. */
export const leaseMs = 120_000

/** A task that was left comes back when its lease is over. */
export const taskLeaseMs = 60_000

/** More than this of a file goes through storage, bytes. */
export const inlineBytes = 128 * 1024

/** Samples of a report at most: one a minute. */
export const maxSamples = 60

/** Activities of a report at most. */
export const maxActivitiesAtOnce = 20

/** How long a question waits unless it says, and at least, seconds. */
export const questionSeconds = { usual: 600, least: 30 }

/** Files that go with one message, and how large each may be, bytes. */
export const maxAttachments = 10
export const maxAttachmentBytes = 20_000_000

/** The types shown as images. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The vendors' words for a status, which their SDKs look at. */
export const vendorErrorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

/** The messages that tell a user why an agent fails to start. */
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
