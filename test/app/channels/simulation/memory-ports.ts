/** The other ports for handling a chat, in memory and without rules of their own that a proof here would be about. */
import type { Ports } from '../../../../adapters/ports.ts'
import type { StoredAttachment } from '../../../../domain/chat/attachment.ts'
import type { InstanceRecord } from '../../../../domain/instance/instance.ts'
import { newInstance } from '../../../../domain/instance/life-cycle.ts'
import { bucketName, bucketsCounted, limits, usedOf } from '../../../../domain/rates/rate-limits.ts'
import { ownerKey } from '../../../../domain/rates/window-owner.ts'
import { newWallet } from '../../../../domain/wallet/state.ts'
import { ChannelTables, memoryInbound, memoryLinks, memoryLog, memoryOutgoing } from './memory-channels.ts'
import { ChatTables, memoryConversations, memoryQuestions } from './memory-chat.ts'

interface Memory {
  channels: ChannelTables
  instances: Map<string, InstanceRecord>
  /** Users whose wallet is empty. */
  poor: Set<string>
}

type Needed =
  | 'attachments'
  | 'attachmentFiles'
  | 'bus'
  | 'channelLinks'
  | 'checkouts'
  | 'conversations'
  | 'deliveryLog'
  | 'events'
  | 'inboundDeliveries'
  | 'instances'
  | 'outbox'
  | 'outgoingMessages'
  | 'payments'
  | 'questions'
  | 'rates'
  | 'users'
  | 'wallets'

/** The ports over maps. */
export function memoryPorts(): { ports: Pick<Ports, Needed>; memory: Memory } {
  const [channels, chat] = [new ChannelTables(), new ChatTables()]
  const memory: Memory = { channels, instances: new Map(), poor: new Set() }
  const ports = {
    channelLinks: memoryLinks(channels, (userId, conversation) => chat.start(userId, conversation)),
    inboundDeliveries: memoryInbound(channels),
    outgoingMessages: memoryOutgoing(channels),
    deliveryLog: memoryLog(channels),
    conversations: memoryConversations(chat),
    questions: memoryQuestions(chat),
    rates: memoryRates(),
    instances: memoryInstances(memory),
    wallets: {
      read: async (userId: string) => ({ ...newWallet(userId), available: memory.poor.has(userId) ? 0 : 1_000_000 }),
    },
    outbox: { items: () => [], remove: async () => {} },
    events: { record: async () => {} },
    bus: { publish: async () => {} },
    users: { find: async () => null },
    checkouts: { countedOn: async () => 0 },
    payments: {},
    ...memoryAttachments(),
  }
  // safe because the simulation calls no other method of these
  return { ports: ports as unknown as Pick<Ports, Needed>, memory }
}

function memoryAttachments() {
  const kept = new Map<string, StoredAttachment>()
  return {
    attachments: {
      add: async (_userId: string, attachment: StoredAttachment) => void kept.set(attachment.id, attachment),
      find: async (_userId: string, id: string) => kept.get(id) ?? null,
    },
    attachmentFiles: {
      put: async () => {},
      isStored: async () => true,
      read: async () => new Uint8Array(1),
    },
  }
}

function memoryRates(): Pick<Ports['rates'], 'admit'> {
  const counts = new Map<string, Record<string, number>>()
  return {
    async admit(owner, limit, nowMs) {
      const subject = ownerKey(owner)
      const known = counts.get(subject) ?? {}
      counts.set(subject, known)
      if (usedOf(limit, known, nowMs) >= limits[limit]) return { admitted: false, because: 'limited', counts: known }
      for (const bucket of bucketsCounted(nowMs)) {
        const name = bucketName(limit, bucket)
        known[name] = (known[name] ?? 0) + 1
      }
      return { admitted: true, record: null, counts: known }
    },
  }
}

function memoryInstances({ instances }: Memory): Pick<Ports['instances'], 'find' | 'touch' | 'save'> {
  return {
    find: async (userId) => instances.get(userId) ?? null,
    touch: async (userId) => instances.get(userId) ?? null,
    async save(next, previous) {
      if (instances.get(next.userId)?.version !== previous.version) return false
      instances.set(next.userId, next)
      return true
    },
  }
}

/** An instance in one of its states. */
export const instanceOf = (userId: string, id: string, state: 'running' | 'paused', nowMs: number): InstanceRecord => ({
  ...newInstance({ instanceId: id, userId }, 'basic', '1', nowMs),
  state,
  desiredState: state,
  reason: state === 'paused' ? 'idle' : 'subscribed',
  deadlineMs: null,
})
