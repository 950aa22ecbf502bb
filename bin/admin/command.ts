import { users } from '../../adapters/dynamo/account/users.ts'
import { outbox } from '../../adapters/dynamo/outbox.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import type { Env } from '../../adapters/env.ts'
import { operatorLines } from '../../app/operator/trail.ts'
import type { Part } from '../../app/ports/part.ts'
import { auditWallet } from '../../app/wallet/books.ts'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import type { SecretsPlace } from './place.ts'

interface Options {
  reason?: string | undefined
  key?: string | undefined
  stage?: string | undefined
  origin?: string | undefined
  chat?: string | undefined
  leaked: boolean
}

export interface Context {
  env: Env
  secrets: SecretsPlace
  options: Options
  /** Null if the system does not say. */
  by: string | null
}

export interface Command {
  usage: readonly (readonly [typed: string, meaning: string])[]
  /** @returns the exit status: 1 when a check found a problem @throws UsageError */
  run(context: Context, words: string[]): Promise<number>
}

/** A wrong command line. Without a message, the usage is printed. */
export class UsageError extends Error {}

/** @throws UsageError when no reason was given */
export function reasonOf({ options }: Context): string {
  const reason = options.reason?.trim()
  if (!reason) throw new UsageError('Give a reason: --reason "…".')
  return reason
}

/** The id of a user, or of a wallet whose user has left. @throws UsageError */
export async function userOf({ env }: Context, text: string | undefined): Promise<string> {
  if (!text?.startsWith('usr_')) throw new UsageError('Name the user by id: usr_….')
  if (await users(env).find(text)) return text
  if ((await auditWallet({ wallets: wallets(env) }, text)).lines > 0) return text
  throw new UsageError(`There is no user ${text}.`)
}

/**
 * The audit entries of a write, for its transaction.
 * @param user the user whose trail gets a line besides the operators' trail; `operatorsTrail` for no user
 */
export function auditOf(
  context: Context,
  { user, operation, record }: { user: string; operation: string; record: string },
): Part {
  const actor = { kind: 'operator' as const, id: context.by }
  const about = user === operatorsTrail ? {} : { user }
  const lines = operatorLines({ operation, record, actor }, { ...about, reason: reasonOf(context) })
  return { items: outbox(context.env).items({ lines }), isWritten: false }
}
