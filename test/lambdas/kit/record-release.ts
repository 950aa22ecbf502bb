/**
 * `node test/lambdas/kit/record-release.ts`: records the data that this code stores and its responses. Run it after
 * each release: from then on, every change must read that release's data (last-release.test.ts).
 */
import { writeFileSync } from 'node:fs'
import { ask, fill, openReleaseWorld, type Release, reads, releaseFile, storedIn, write } from './last-release.ts'

const world = await openReleaseWorld()
const tenant = await world.tenant()
const records = await fill(world, tenant)
const callers = {
  tenant,
  session: (await world.session(tenant.userId)).headers.Cookie,
  operator: (await world.operator()).headers.Cookie,
  pat: (await world.bearer(['api:llm'], tenant.userId, 365)).headers.Authorization,
}
await write(world, { callers, records, items: await storedIn(world) })
// A first sign-in writes items, so it happens before everything is recorded.
for (const [, operation] of reads) await ask(world, { callers, records, items: await storedIn(world) }, operation)
const items = await storedIn(world)
const answers: Release['answers'] = {}
for (const [id, operation] of reads) {
  answers[id] = await ask(world, { callers, records, items }, operation)
  if (answers[id].status !== 200) throw new Error(`${id} answers ${JSON.stringify(answers[id])}`)
}
writeFileSync(releaseFile, `${JSON.stringify({ callers, records, items, answers }, null, 1)}\n`)
await world.close()
