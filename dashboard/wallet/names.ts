import type { Conversation } from '../../clients/typescript/operations.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { walletTexts } from '../texts/wallet.ts'

export const dimensions = ['model', 'trigger', 'token', 'conversation'] as const
export type Dimension = (typeof dimensions)[number]

/** A trigger of a later version is shown by its name. */
export const triggerName = (trigger: string): string =>
  Object.entries(walletTexts.triggers).find(([name]) => name === trigger)?.[1] ?? trigger

interface Known {
  tokens: readonly Pat[]
  conversations: readonly Conversation[]
}

/** An unknown id is shown as it is. */
export function keyName(of: Dimension, key: string, { tokens, conversations }: Known): string {
  const { usage } = walletTexts
  if (key === 'none') return usage.none[of]
  if (key === 'unknown') return usage.unknown
  if (key === 'other') return usage.other
  if (of === 'trigger') return triggerName(key)
  if (of === 'token') return tokens.find((token) => token.id === key)?.name ?? key
  if (of === 'conversation')
    return key === 'main'
      ? usage.mainConversation
      : (conversations.find((conversation) => conversation.id === key)?.title ?? key)
  return key
}
