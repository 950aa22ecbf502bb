import { randomBytes } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { conflict, unauthorized } from '../../domain/errors.ts'
import { dayMs, iso } from '../../domain/time.ts'
import { deadTokenKeptMs, formatPat, maxTokens, type PatRecord, prefixLength } from '../../domain/tokens/pat.ts'
import type { Tokens } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { changeInput, putInput, putNew, query, transact } from './calls.ts'
import { hashedId } from './hashed-id.ts'
import { toItem } from './item.ts'
import { mintedId } from './token-item.ts'

/** No token lives longer than this, so neither has the list of what one minted to. */
const longestMs = 366 * dayMs

/**
 * Making tokens. What a token makes is written together with a note in the list of its own tokens, on the condition
 * that it is not revoked: after a revocation the list is complete.
 */
export function minting(env: Env): Pick<Tokens, 'mint' | 'reroll'> {
  const table = () => env.table('tokens')

  const make = (wanted: Omit<PatRecord, 'id' | 'tokenPrefix'>): { record: PatRecord; plaintext: string } => {
    const plaintext = formatPat(env.settings().cell, randomBytes(64))
    const id = hashedId('tok', plaintext)
    return { record: { ...wanted, id, tokenPrefix: plaintext.slice(0, prefixLength) }, plaintext }
  }

  const item = (record: PatRecord) => ({
    ...record,
    ttl: Math.ceil((Date.parse(record.expiresAt) + deadTokenKeptMs) / 1000),
  })

  /** Adds the new token to a list of tokens made. */
  const noted = (makerId: string, record: PatRecord): TransactWriteItem => ({
    Update: changeInput({
      table: table(),
      key: { id: mintedId(makerId) },
      update: `SET #${record.id} = :yes, #ttl = :ttl ADD #count :one`,
      condition: 'attribute_not_exists(#count) OR #count < :most',
      values: {
        ':yes': true,
        ':one': 1,
        ':most': maxTokens,
        ':ttl': Math.ceil((Date.parse(record.createdAt) + longestMs + deadTokenKeptMs) / 1000),
      },
    }),
  })

  /** The maker itself: alive by its revocation, and marked as one that has made something. */
  const maker = (id: string): TransactWriteItem => ({
    Update: changeInput({
      table: table(),
      key: { id },
      update: 'SET #hasMinted = :yes',
      condition: 'attribute_exists(#id) AND attribute_not_exists(#revokedAt)',
      values: { ':yes': true },
    }),
  })

  /** A token that makes tokens that make tokens must stay revocable within one request. */
  const checkCount = async (userId: string): Promise<void> => {
    const asked = {
      TableName: table(),
      IndexName: 'byUser',
      KeyConditionExpression: 'userId = :user',
      ExpressionAttributeValues: toItem({ ':user': userId }),
    }
    let count = 0
    for await (const _ of query(asked)) if (++count >= maxTokens) throw tooMany()
  }

  return {
    async mint(wanted) {
      const made = make({ ...wanted, expiresAt: iso(Date.parse(wanted.expiresAt)) })
      // An item that refuses this put can only be this very token, written by an attempt whose answer was lost.
      const put = item(made.record)
      if (!wanted.mintedBy) {
        await putNew(table(), 'id', put)
        return made
      }
      await checkCount(wanted.userId)
      const { mintedBy } = wanted
      const parts = [{ Put: putInput(table(), 'id', put) }, maker(mintedBy), noted(mintedBy, made.record)]
      const written = await transact(parts)
      if (written.done || written.refused[0]) return made
      throw written.refused[2] ? tooMany() : unauthorized()
    },

    async reroll(old, wanted, endsAt) {
      const made = make({ ...wanted, replaces: old.id })
      const itself = wanted.mintedBy === old.id
      const makers = [...new Set([wanted.mintedBy, old.mintedBy])].filter((id) => id !== undefined)
      if (makers.length > 0) await checkCount(wanted.userId)
      const ending: TransactWriteItem = {
        Update: changeInput({
          table: table(),
          key: { id: old.id },
          update: `SET #expiresAt = :ends, #replacedBy = :next${itself ? ', #hasMinted = :yes' : ''}`,
          condition:
            'attribute_exists(#id) AND attribute_not_exists(#revokedAt) AND attribute_not_exists(#replacedBy) AND #expiresAt > :now',
          values: {
            ':ends': endsAt,
            ':next': made.record.id,
            ':now': wanted.createdAt,
            ...(itself && { ':yes': true }),
          },
        }),
      }
      const written = await transact([
        { Put: putInput(table(), 'id', item(made.record)) },
        ending,
        ...makers.filter((id) => id !== old.id).map(maker),
        ...makers.map((id) => noted(id, made.record)),
      ])
      if (written.done || written.refused[0]) return made
      throw conflict('This token was rerolled or revoked already. List your tokens and use the newest.')
    },
  }
}

const tooMany = () =>
  conflict(`An account has ${maxTokens} tokens at most, ended ones of the last 30 days included. Revoke some first.`)
