import * as z from 'zod'

/** The parts that the webhooks of all platforms share. */
export const platformWebhook = {
  auth: 'signed',
  limit: null,
  // Platforms add their own query parameters.
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  example: {},
  errors: ['unauthorized'],
} as const

export const webhookUses = { channelLinks: 'read', rates: 'write', inboundDeliveries: 'write' } as const
