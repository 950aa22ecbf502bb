export const processing = {
  attachments: 'write',
  attachmentFiles: 'write',
  audit: 'write',
  bus: 'write',
  channelLinks: 'write',
  conversations: 'write',
  discord: 'write',
  events: 'write',
  inboundDeliveries: 'write',
  instances: 'write',
  outbox: 'write',
  outgoingMessages: 'write',
  questions: 'write',
  slack: 'write',
  telegram: 'write',
  users: 'read',
  wallets: 'read',
} as const

export const sending = {
  attachments: 'read',
  attachmentFiles: 'read',
  channelLinks: 'write',
  discord: 'write',
  outgoingMessages: 'write',
  slack: 'write',
  telegram: 'write',
} as const
