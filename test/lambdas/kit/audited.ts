import type { World } from '../../world.ts'
import { listed } from './cost-world.ts'

/** Operations that change something without an audit entry, each with its reason. */
export const silent: Record<string, string> = {
  login: 'a code was mailed, to somebody who is nobody yet',
  passkeyOptions: 'a challenge was given out, to somebody who is nobody yet',
  registerPasskeyOptions: 'a challenge was given out; keeping the passkey is what counts',
  reportLeakedToken: 'its own code writes to the trail of the token’s owner, whom the answer must not show',
  checkAuthorizationRequest: 'nothing is changed, only shown',
  registerClient: 'a program said who it is, and has nothing yet',
  refuseRegistration: 'nothing happens',
  issueTokens: 'what the user allowed is carried out; a replay that ends it writes to its owner’s trail',
  revokeGrant: 'its own code writes to the trail of the token’s owner, whom the answer must not show',
  stripeWebhook: 'payments speak in the ledger',
  receiveDelivery: 'the conversation is its own record, and the hook notes its latest delivery',
  receiveTelegram: 'what came is its own record',
  receiveSlack: 'what came is its own record',
  receiveDiscord: 'what came is its own record',
  startSlackInstall: 'nothing is changed, only shown',
  sendMessage: 'the conversation is its own record',
  runSchedule: 'the conversation and the schedule’s own runs are its record',
  createAttachment: 'the conversation that it goes into is its record',
  stopReply: 'the conversation is its own record',
  createConversation: 'the conversation is its own record',
  updateConversation: 'the conversation is its own record',
  updateMainConversation: 'the conversation is its own record',
  readNotifications: 'what was read is its own record',
  unsubscribe: 'whoever holds a mail can do it again and again; the settings are its record',
  mcpRpc: 'the operation behind the tool leaves the line',
  callModel: 'the ledger is its record',
  createApiEmbeddings: 'the ledger is its record',
  countApiTokens: 'nothing happens',
  mcpClose: 'nothing happens',
}

/** Operations for people that change something. */
export const changing = listed.filter(
  ([, , { auth, http }]) => http.method !== 'GET' && !['llm', 'files', 'agent'].includes(auth),
)

/** The operations that a user's audit trail names. */
export const trailOf = async ({ ports }: World, userId: string): Promise<string[]> =>
  (await ports.audit.list(userId, { after: null, limit: 100 })).items.map(({ operation }) => operation)
