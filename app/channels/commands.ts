import { topUpCents } from '../../domain/billing/top-up.ts'
import type { CommandName } from '../../domain/channels/commands.ts'
import { helpText, lines } from '../../domain/channels/lines.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { DomainError } from '../../domain/errors.ts'
import { explain } from '../../domain/instance/explain.ts'
import { centsToMicros } from '../../domain/money.ts'
import { walletSuspended } from '../../domain/wallet/payment-required.ts'
import { type ChangePorts, changeInstance, resumeInstance } from '../instance/change.ts'
import type { Audit, Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { ChannelLinks, OutgoingMessages } from '../ports/channels.ts'
import type { Conversations } from '../ports/chat.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Wallets } from '../ports/wallet.ts'
import { outboxAs } from './outbox.ts'
import { stopIn } from './stop.ts'
import { unlink } from './unlink.ts'

export type CommandPorts = ChangePorts & {
  audit: Audit
  channelLinks: ChannelLinks
  conversations: Conversations
  outbox: Intents
  outgoingMessages: OutgoingMessages
  users: Users
  wallets: Wallets
} & Basics

/** @returns the message for the chat */
export async function runCommand(
  deps: CommandPorts,
  link: LinkRecord,
  name: CommandName,
  argument: string,
  nowMs: number,
): Promise<string> {
  try {
    return await run(deps, link, name, argument, nowMs)
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}

async function run(
  deps: CommandPorts,
  link: LinkRecord,
  name: CommandName,
  argument: string,
  nowMs: number,
): Promise<string> {
  const { userId } = link
  const origin = deps.settings.publicOrigin
  switch (name) {
    case 'help':
      return helpText(origin)
    case 'link':
      return lines.linkedAlready
    case 'unlink':
      await unlink(deps, userId, link.id, outboxAs(deps, link, 'deleteChannel'))
      return lines.unlinked
    case 'status':
      return status(deps, link)
    case 'pause': {
      const outboxFor = outboxAs(deps, link, 'pauseInstance')
      return explain((await changeInstance(deps, userId, 'pause', 'user', nowMs, outboxFor)).instance)
    }
    case 'resume':
      return explain(await resumeInstance(deps, userId, nowMs, outboxAs(deps, link, 'resumeInstance')))
    case 'stop':
      return stopIn(deps, link, nowMs)
    case 'balance':
      return balance(deps, userId)
    case 'topup':
      if ((await deps.wallets.read(userId)).frozen !== null) return walletSuspended().message
      return topUp(argument, origin)
  }
}

async function status(deps: CommandPorts, { userId, kind }: LinkRecord): Promise<string> {
  const instance = await deps.instances.find(userId)
  const machine = instance ? explain(instance) : lines.noAgent(deps.settings.publicOrigin)
  return kind === 'direct' ? `${machine}\n\n${await balance(deps, userId)}` : machine
}

async function balance({ wallets }: CommandPorts, userId: string): Promise<string> {
  const { available, frozen } = await wallets.read(userId)
  const amount = formatMicros(available)
  return frozen === null ? lines.balance(amount) : lines.suspendedBalance(amount, walletSuspended().message)
}

/** The address where the person pays after a sign-in: no text of a chat reaches the billing provider. */
function topUp(argument: string, origin: string): string {
  const dollars = Number(argument.trim().replace(/^\$/, ''))
  const cents = topUpCents.safeParse(Math.round(dollars * 100))
  if (argument.trim() === '' || !cents.success) return lines.topUpAmount
  return lines.topUp(formatMicros(centsToMicros(cents.data)), `${origin}/wallet?amount=${cents.data / 100}`)
}
