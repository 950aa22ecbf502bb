import type { Notices } from '../../../app/ports/operator.ts'
import { noticeRecord } from '../../../domain/operator/notice.ts'
import type { Env } from '../../env.ts'
import { putNew, queryAll, removed } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse, toItem } from '../item.ts'

const list = 'notices'

export const notices = (env: Env): Notices => ({
  async standing(nowMs) {
    const asked = {
      TableName: env.table('console'),
      KeyConditionExpression: '#list = :list',
      ExpressionAttributeNames: { '#list': 'list' },
      ExpressionAttributeValues: toItem({ ':list': list }),
      ScanIndexForward: false,
    }
    const all = await queryAll(asked, (item) => parse(noticeRecord, item))
    return all.filter(({ until }) => Date.parse(until) > nowMs)
  },

  async add(notice, ...also) {
    const ttl = Math.ceil(Date.parse(notice.until) / 1000)
    return (await putNew(env.table('console'), 'id', { list, ...notice, ttl }, ...also)).done
  },

  remove: (id, ...also) =>
    removed({ ...itemAt(env.table('console'), { list, id }), condition: 'attribute_exists(#id)' }, ...also),
})
