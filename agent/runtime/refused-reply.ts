import { errorCodes } from '../kit/limits.ts'
import type { Refusal } from '../kit/refusal.ts'
import type { Reply } from './reply.ts'

const providerFailed =
  'The model provider failed, also when I tried again. Send me your message again in a few minutes, or choose another model.'
const somethingFailed = 'Something failed while I worked on this. Please send me your message again in a few minutes.'
const unpaid =
  'The wallet does not pay for this. See the wallet page of the dashboard, then send me your message again.'

/** The reply to a prompt whose model call was refused for good, in the service's own words. */
export function refusedReply({ status, code, message }: Omit<Refusal, 'retryAfterSeconds'>): Reply {
  const refusal = errorCodes.find((known) => known === code) ?? 'provider-error'
  if (status === 402) return { text: message || unpaid, outcome: 'needs_input', refusal }
  // The service tells a program when to retry a provider’s failure, which has been done by now.
  if (status > 500) return { text: providerFailed, outcome: 'failed', refusal: 'provider-error' }
  return { text: message || somethingFailed, outcome: 'failed', refusal }
}
