import type { LossReason } from './endpoint.ts'

const because: Record<LossReason, string> = {
  failing: 'All deliveries to it have failed for three days.',
  gone: 'It answered 410, which means that it is permanently gone.',
}

export const endpointDisabled = (to: string, name: string, reason: LossReason, origin: string) => ({
  to,
  subject: `Your webhook endpoint “${name}” was disabled`,
  text: [
    `${because[reason]} It receives no more events, and waiting deliveries were cancelled.`,
    `When it works again, enable it and replay the deliveries of the last week: ${origin}/connect?tab=webhooks`,
  ].join('\n\n'),
})
