import { users } from '../../adapters/dynamo/account/users.ts'
import { outbox } from '../../adapters/dynamo/outbox.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import type { Env } from '../../adapters/env.ts'
import { operatorLines } from '../../app/operator/trail.ts'
import { auditWallet } from '../../app/wallet/books.ts'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import type { SecretsPlace } from './place.ts'

/** What may stand behind any command. */
export interface Options {
  reason?: string | undefined
  key?: string | undefined
  stage?: string | undefined
  origin?: string | undefined
  chat?: string | undefined
  leaked: boolean
}

/** Where a command works, and what was said behind it. */
export interface Context {
  env: Env
  secrets: SecretsPlace
  options: Options
  /** Who types it; null where the system does not say. */
  by: string | null
}

/** The first word of what is typed; `words` are those behind it. */
export interface Command {
  /** What is typed and what it does. */
  usage: readonly (readonly [typed: string, meaning: string])[]
  /** Answers the exit status: 1 when something is found wrong. @throws UsageError */
  run(context: Context, words: string[]): Promise<number>
}

/** What was typed cannot be done so; without a text of its own, the whole usage says how. */
export class UsageError extends Error {}

/** @throws UsageError where none was given */
export function reasonOf({ options }: Context): string {
  const reason = options.reason?.trim()
  if (!reason) throw new UsageError('Say why: --reason "…".')
  return reason
}

/** A user there is, or a wallet that one has left. @throws UsageError */
export async function userOf({ env }: Context, text: string | undefined): Promise<string> {
  if (!text?.startsWith('usr_')) throw new UsageError('Name the user as usr_….')
  if (await users(env).find(text)) return text
  if ((await auditWallet({ wallets: wallets(env) }, text)).lines > 0) return text
  throw new UsageError(`There is no user ${text} here.`)
}

/**
 * Does what writes to the store, together with the lines that say why: neither is there without the other.
 * @param user whose trail has a line beside the operators'; `operatorsTrail` for nobody's
 */
export async function noted<T>(
  context: Context,
  { user, operation, record }: { user: string; operation: string; record: string },
  act: () => Promise<T>,
): Promise<T> {
  const actor = { kind: 'operator' as const, id: context.by }
  const about = user === operatorsTrail ? {} : { user }
  const lines = operatorLines({ operation, record, actor }, { ...about, reason: reasonOf(context) })
  return (await outbox(context.env).along({ lines }, act)).result
}
