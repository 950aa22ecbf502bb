import type { LossReason } from './endpoint.ts'

const because: Record<LossReason, string> = {
  failing: 'It has answered nothing but failures for three days.',
  gone: 'It answered 410, which says that it is gone for good.',
}

/** Told once for each time that an endpoint is disabled. */
export const endpointDisabled = (to: string, name: string, reason: LossReason, origin: string) => ({
  to,
  subject: `Your webhook endpoint “${name}” was disabled`,
  text: [
    `${because[reason]} It is told of no more events, and what waited for it is not sent.`,
    `When it works again, enable it, and send again what it missed in the last week: ${origin}/connect?tab=webhooks`,
  ].join('\n\n'),
})
