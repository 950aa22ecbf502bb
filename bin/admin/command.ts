import { users } from '../../adapters/dynamo/account/users.ts'
import { outbox } from '../../adapters/dynamo/outbox.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import type { Env } from '../../adapters/env.ts'
import { operatorLines } from '../../app/operator/trail.ts'
import { auditWallet } from '../../app/wallet/books.ts'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import type { SecretsPlace } from './place.ts'

/** Options that every command accepts. */
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
  /** The person who typed the command; null if the system does not say. */
  by: string | null
}

/** The first word of what is typed; `words` are those behind it. */
export interface Command {
  /** A command line and its effect. */
  usage: readonly (readonly [typed: string, meaning: string])[]
  /** Answers the exit status: 1 when something is found wrong. @throws UsageError */
  run(context: Context, words: string[]): Promise<number>
}

/** Reports a wrong command line; without a text of its own, it prints the usage. */
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
 * @param user the user whose trail gets a line as well as the operators'; `operatorsTrail` for no user
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
