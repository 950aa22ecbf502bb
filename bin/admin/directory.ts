import { booksCheck } from '../../adapters/dynamo/operator/books-check.ts'
import { directoryBackfill } from '../../adapters/dynamo/operator/directory-backfill.ts'
import { shards } from '../../domain/ids.ts'
import type { Command } from './command.ts'

const atOnce = 25

export const directory: Command = {
  usage: [['directory', 'add users of an earlier release to the operators’ list; safe to repeat']],
  async run({ env }) {
    const [check, backfill] = [booksCheck(env), directoryBackfill(env)]
    let [seen, added] = [0, 0]
    for (let shard = 0; shard < shards; shard++) {
      let after: string | null = null
      for (;;) {
        const owners: string[] = await check.owners(shard, after, atOnce)
        const done = await Promise.all(owners.map((userId) => backfill.add(userId, Date.now())))
        seen += owners.length
        added += done.filter(Boolean).length
        after = owners.at(-1) ?? null
        if (owners.length < atOnce) break
      }
    }
    console.log(`${seen} users, ${added} added or corrected.`)
    return 0
  },
}
