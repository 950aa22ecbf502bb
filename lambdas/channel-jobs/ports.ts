/** What it takes to see through what happens in a chat. */
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

/** What it takes to send something to a chat. */
export const sending = {
  attachments: 'read',
  attachmentFiles: 'read',
  channelLinks: 'write',
  discord: 'write',
  outgoingMessages: 'write',
  slack: 'write',
  telegram: 'write',
} as const
