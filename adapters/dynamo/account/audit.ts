import { randomBytes } from 'node:crypto'
import { QueryCommand } from '@aws-sdk/client-dynamodb'
import type { Audit, AuditLine } from '../../../app/ports/account.ts'
import { auditEntry } from '../../../domain/account/audit.ts'
import { risingUlids } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { call, putNew } from '../calls.ts'
import { parse, toItem } from '../item.ts'

const nextUlid = risingUlids(() => randomBytes(16))

const storedLine = ({ userId, ...line }: AuditLine) => {
  const nowMs = Date.now()
  return { userId, id: `aud_${nextUlid(nowMs)}`, at: iso(nowMs), ...line }
}

/** A retry after a lost answer may find this very line. */
export const linePut = (env: Env, line: AuditLine) => ({
  TableName: env.table('audit'),
  Item: toItem(storedLine(line)),
})

export const audit = (env: Env): Audit => ({
  async record(line, ...also) {
    return (await putNew(env.table('audit'), 'id', storedLine(line), ...also)).done
  },

  async list(userId, { after, limit }) {
    const input = {
      TableName: env.table('audit'),
      KeyConditionExpression: after === null ? 'userId = :user' : 'userId = :user AND id < :after',
      ExpressionAttributeValues: toItem({ ':user': userId, ':after': after }),
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit + 1,
    }
    const { Items = [] } = await call((db) => db.send(new QueryCommand(input)))
    const items = Items.slice(0, limit).map((item) => parse(auditEntry, item))
    return { items, next: Items.length > limit ? (items.at(-1)?.id ?? null) : null }
  },
})
