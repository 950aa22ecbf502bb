import { randomBytes } from 'node:crypto'
import type { Audit, AuditLine } from '../../../app/ports/account.ts'
import { auditEntry } from '../../../domain/account/audit.ts'
import { risingUlids } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { putNew } from '../calls.ts'
import { parse, toItem } from '../item.ts'
import { newest } from '../newest.ts'

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

  async list(userId, page) {
    const { items, more } = await newest(env.table('audit'), userId, page)
    const entries = items.map((item) => parse(auditEntry, item))
    return { items: entries, next: more ? (entries.at(-1)?.id ?? null) : null }
  },
})
