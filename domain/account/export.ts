import * as z from 'zod'
import { subscription } from '../billing/subscription.ts'
import { personaVersion } from '../catalogue/persona.ts'
import { skill } from '../catalogue/skill.ts'
import { link } from '../channels/link.ts'
import { conversation } from '../chat/conversation.ts'
import { message } from '../chat/message.ts'
import { restorePoint } from '../files/restore-point.ts'
import { hook } from '../hooks/hook.ts'
import { instance } from '../instance/instance.ts'
import { run } from '../instance/run.ts'
import { schedule } from '../instance/schedules.ts'
import { pushDevice } from '../notifications/device.ts'
import { muted, notification } from '../notifications/notification.ts'
import { timestamp } from '../timestamp.ts'
import { pat } from '../tokens/pat.ts'
import { transaction } from '../wallet/ledger.ts'
import { wallet } from '../wallet/wallet.ts'
import { webhookEndpoint } from '../webhooks/endpoint.ts'
import { auditEntry } from './audit.ts'
import { passkey } from './passkey.ts'
import { acceptedTerms } from './terms.ts'
import { account, session } from './user.ts'

/** Data that is complete in the first part. */
export const records = z.object({
  account,
  terms: acceptedTerms.nullable().meta({ description: 'The terms that were accepted last.' }),
  subscription,
  wallet,
  instance: instance.nullable(),
  variables: z
    .array(z.string())
    .meta({ description: 'Names of the instance’s variables; nobody can read the values.' }),
  schedules: z.array(schedule),
  hooks: z.array(hook),
  channels: z.array(link).meta({ description: 'The linked chats.' }),
  webhookEndpoints: z.array(webhookEndpoint),
  skills: z.array(skill.pick({ id: true, version: true, enabled: true })),
  restorePoints: z.array(restorePoint),
  tokens: z.array(pat),
  sessions: z.array(session),
  passkeys: z.array(passkey),
  muted,
  pushDevices: z.array(pushDevice),
})

/** Data that may continue in further parts; no two parts share an entry. */
const lists = z.object({
  transactions: z.array(transaction),
  conversations: z.array(conversation).meta({ description: 'All conversations except the main one.' }),
  messages: z.array(message).meta({ description: 'Conversation after conversation, oldest first.' }),
  audit: z.array(auditEntry),
  notifications: z.array(notification),
  personas: z.array(personaVersion).meta({ description: 'Your own personas, in all stored versions.' }),
  runs: z.array(run).meta({ description: 'Runs of the machine that ended in the last 90 days.' }),
})

export type ExportLists = z.infer<typeof lists>

/** Contains no secret, because secrets are kept as hashes only. */
export const accountExport = lists
  .extend(records.partial().shape)
  .extend({
    exportedAt: timestamp,
    nextCursor: z.string().nullable().meta({ description: 'The start of the next part; null in the last part.' }),
  })
  .meta({ id: 'AccountExport' })

export type AccountExport = z.infer<typeof accountExport>
