/**
 * `node test/lambdas/kit/record-release.ts`: writes down what the code of now stores and answers. Run it once a release is out: from then on every change
 * has to read what that release stored (last-release.test.ts).
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
// What is written when somebody is seen for the first time is written before all is written down.
for (const [, operation] of reads) await ask(world, { callers, records, items: await storedIn(world) }, operation)
const items = await storedIn(world)
const answers: Release['answers'] = {}
for (const [id, operation] of reads) {
  answers[id] = await ask(world, { callers, records, items }, operation)
  if (answers[id].status !== 200) throw new Error(`${id} answers ${JSON.stringify(answers[id])}`)
}
writeFileSync(releaseFile, `${JSON.stringify({ callers, records, items, answers }, null, 1)}\n`)
await world.close()
