import type { Tenant } from '../../world.ts'
import { changing, silent, trailOf } from './audited.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'
import { given, places, recordsIn } from './records.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** The ids of built-in data are the same for every user. */
const everybodys = ['getMachineModel.id', 'getApiModel.id', 'getSkill.id', 'enableSkill.id', 'disableSkill.id']

/** The senders have no account: test/lambdas/hooks/abuse.test.ts. */
const strangers = ['receiveDelivery.id']

/** The responses of places with a reason not to return 404. */
const others: Record<string, number> = {
  // Users choose the ids of their own personas, and this persona has no first version.
  'savePersona.id': 409,
  // The caller made no calls with it.
  'getWalletUsage.conversation': 200,
  'getMessageCost.id': 200,
  'listActivities.id': 200,
  // Nothing is looked up by it: the id is the caller's own, repeated.
  'deleteInstance.confirm': 400,
}

/** The owner's request goes to a machine, which this world does not have: test/service/file-changes.test.ts. */
const ofMachines = ['compareRestorePoint.id', 'getReplyChanges.id', 'undoReply.id']

const namesRecord = (field: string) => /^(id|confirm|point|prompt|conversation)$|Id$/.test(field)

describe('another user’s id', () => {
  test('is tested in every place for one', () => {
    const found = listed.flatMap(([id, , operation]) =>
      Object.keys(operation.input.shape)
        .filter(namesRecord)
        .map((field) => `${id}.${field}`),
    )
    expect([...Object.keys(places), ...everybodys, ...strangers].sort()).toEqual(found.sort())
  })

  test.each(Object.entries(places))(
    '%s responds as for an unknown id, with the same store requests',
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
        // Concurrent requests are in any order.
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
