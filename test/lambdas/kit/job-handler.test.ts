import * as z from 'zod'
import type { Basics } from '../../../app/ports/basics.ts'
import { area } from '../../../lambdas/kit/area.ts'
import { job } from '../../../lambdas/kit/job.ts'
import { jobHandler } from '../../../lambdas/kit/job-handler.ts'

const deps: Basics = {
  clock: { now: () => 7, sleep: async () => {} },
  ids: { next: (prefix) => `${prefix}_1`, random: () => '000000' },
  settings: { stage: 'test', production: false, publicOrigin: '', cell: 'T0', imageVersion: '1', logLevel: 'INFO' },
  alarms: { raise: () => {}, measure: () => {} },
}

function world() {
  const ran: string[] = []
  const timed = (id: string, everyMinutes: number) =>
    job({
      id,
      on: { everyMinutes },
      input: z.unknown(),
      uses: {},
      run: async () => {
        if (id === 'broken') throw new Error('sk_live_0123456789abcdef is in this text')
        ran.push(id)
      },
    })
  const told = job({
    id: 'told',
    on: { bus: 'berth', source: 'berth', detailType: 'thing' },
    input: z.object({ name: z.string() }),
    uses: {},
    run: async ({ input }) => {
      ran.push(`told ${input.name}`)
    },
  })
  const jobs = [timed('sweep', 1), timed('daily', 1), timed('broken', 5), told]
  return { ran, handler: jobHandler(area({ name: 'test', jobs }), deps) }
}

const envelope = {
  version: '0',
  id: '6f8e2f0e-2a5c-4d0e-9d5e-0c2f2a1f4b11',
  account: '000000000000',
  time: '2026-11-20T12:00:00Z',
  region: 'us-east-1',
  resources: [],
}

describe('jobHandler', () => {
  test('a schedule runs the job it names, even when another has the same rate', async () => {
    const { ran, handler } = world()
    await handler({ job: 'daily' })
    expect(ran).toEqual(['daily'])
  })

  test('an event runs the jobs it starts', async () => {
    const { ran, handler } = world()
    const event = { ...envelope, source: 'berth', 'detail-type': 'thing', detail: { name: 'a' } }
    await handler(event)
    await handler({ ...event, 'detail-type': 'other' })
    expect(ran).toEqual(['told a'])
  })

  test('a failure is thrown, so that the event is delivered again', async () => {
    const { handler } = world()
    await expect(handler({ job: 'broken' })).rejects.toThrow()
    const event = { ...envelope, source: 'berth', 'detail-type': 'thing', detail: { name: 5 } }
    await expect(handler(event)).rejects.toThrow()
  })
})
