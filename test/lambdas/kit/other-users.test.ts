import type { Tenant } from '../../world.ts'
import { changing, silent, trailOf } from './audited.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'
import { given, places, recordsIn } from './records.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** Ids of what ships with the service are the same for all. */
const everybodys = ['getMachineModel.id', 'getApiModel.id', 'getSkill.id', 'enableSkill.id', 'disableSkill.id']

/** Whoever sends to it is nobody: test/lambdas/hooks/abuse.test.ts. */
const strangers = ['receiveDelivery.id']

/** What a place answers that has a reason not to answer 404. */
const others: Record<string, number> = {
  // Ids of one's own personas are one's own to choose, and none of this one has a first version.
  'savePersona.id': 409,
  // Nobody has said anything there.
  'listMessages.conversation': 200,
  // Of one's own calls none were made there.
  'getWalletUsage.conversation': 200,
  'searchMessages.conversation': 200,
  'getMessageCost.id': 200,
  'listActivities.id': 200,
  // Nothing is looked up by it: it repeats the id of the caller's own.
  'deleteInstance.confirm': 400,
}

/** What its owner asks of it is asked of a machine, and this world has none: test/service/file-changes.test.ts. */
const ofMachines = ['compareRestorePoint.id', 'getReplyChanges.id', 'undoReply.id']

const namesRecord = (field: string) => /^(id|confirm|point|prompt|conversation)$|Id$/.test(field)

describe('another user’s id', () => {
  test('every place for one is known', () => {
    const found = listed.flatMap(([id, , operation]) =>
      Object.keys(operation.input.shape)
        .filter(namesRecord)
        .map((field) => `${id}.${field}`),
    )
    expect([...Object.keys(places), ...everybodys, ...strangers].sort()).toEqual(found.sort())
  })

  test.each(Object.entries(places))(
    '%s answers as for one that never was, by the same store calls',
    async (place, [kind, also]) => {
      const [id = '', field = ''] = place.split('.')
      const [, areaName = '', operation] = listed.find(([name]) => name === id) ?? []
      if (!operation) throw new Error(`no operation ${id}`)
      const owner = await world.tenant()
      const theirs = await recordsIn(world)[kind](owner)
      const never = `${theirs.slice(0, -4)}${theirs.slice(-4).replace(/\w/g, (letter) => (letter === '0' ? '1' : '0'))}`
      const ask = async (asked: string, me: Tenant) => {
        const sent = given(operation, { ...also, [field]: asked })
        const headers = await world.admission(operation, me)
        const { status, text, calls, units } = await world.measure(areaName, operation, { ...sent, headers })
        // What is asked for side by side comes in any order.
        return { status, calls: calls.sort(), units, text: text.replaceAll(asked, 'the id') }
      }
      const other = await ask(theirs, await world.tenant())
      expect(other).toEqual(await ask(never, await world.tenant()))
      expect(other.status).toBe(others[place] ?? 404)
      if (ofMachines.includes(place)) return
      const { status } = await ask(theirs, owner)
      expect(Math.floor(status / 100)).toBe(2)
      if (changing.some(([name]) => name === id) && !(id in silent))
        expect(await trailOf(world, owner.userId)).toEqual([id])
    },
  )
})
