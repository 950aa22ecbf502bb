import { get, put } from '../../../adapters/dynamo/calls.ts'
import { slackTeams } from '../../../adapters/dynamo/channels/slack-teams.ts'
import type { Env } from '../../../adapters/env.ts'
import type { TestCloud } from '../../../emulators/aws/test/cloud.ts'
import { openCloud } from '../../cloud.ts'
import { type Engine, type Fault, inject, startEngine } from '../engine.ts'

let cloud: TestCloud
let engine: Engine
let env: Env
beforeAll(async () => {
  cloud = await openCloud()
  engine = await startEngine()
  env = { ...engine.env, variable: () => 'arn:aws:kms:us-east-1:000000000000:key/variables' }
})
afterAll(async () => {
  await engine.stop()
  await cloud.close()
})

const team = (teamId: string, installedAt = '2026-11-01T12:00:00.000Z') => ({
  teamId,
  name: 'Workshop',
  botUserId: 'U0BOT',
  installerId: 'U0ADA',
  installedAt,
})
const itemOf = async (teamId: string) => get(env.table('channels'), { id: `slack-team#${teamId}`, item: 'team' })

describe('a workspace’s token', () => {
  test('is stored encrypted for KMS only, and can be read back', async () => {
    const teams = slackTeams(env)
    await teams.save(team('T1'), 'xoxb-secret-1')
    expect(await teams.find('T1')).toEqual({ ...team('T1'), token: 'xoxb-secret-1' })
    expect(JSON.stringify(await itemOf('T1'))).not.toContain('xoxb')
    expect(await teams.find('T2')).toBeNull()
  })

  test('is the last installed one', async () => {
    const teams = slackTeams(env)
    await teams.save(team('T3'), 'one')
    await teams.save({ ...team('T3'), name: 'Workshop 2' }, 'two')
    expect(await teams.find('T3')).toMatchObject({ token: 'two', name: 'Workshop 2' })
  })

  test('from one workspace cannot be decrypted as another’s', async () => {
    const teams = slackTeams(env)
    await teams.save(team('T4'), 'of T4')
    await teams.save(team('T5'), 'of T5')
    const [four, five] = [await itemOf('T4'), await itemOf('T5')]
    await put(env.table('channels'), { ...five, token: four?.token ?? { NULL: true } })
    await expect(teams.find('T5')).rejects.toThrow()
  })

  test('is deleted with its workspace, however often the removal is reported', async () => {
    const teams = slackTeams(env)
    await teams.save(team('T6', '2026-11-01T12:00:00.000Z'), 'x')
    for (let i = 0; i < 2; i++) await teams.forget('T6', '2026-11-01T12:00:00.000Z')
    expect(await itemOf('T6')).toBeNull()
    await teams.forget('T0', '2026-11-01T12:00:00.000Z')
  })

  test('from a newer installation survives a late report that the older one ended', async () => {
    const teams = slackTeams(env)
    await teams.save(team('T7', '2026-11-01T12:00:01.000Z'), 'new')
    await teams.forget('T7', '2026-11-01T12:00:00.000Z')
    expect(await teams.find('T7')).toMatchObject({ token: 'new' })
  })

  test.each<Fault>(['before', 'after', 'throttled', 'conflict'])(
    'is stored and deleted despite a write that fails %s',
    async (fault) => {
      const teams = slackTeams(env)
      const id = `T8${fault.toUpperCase()}`
      const restore = inject(fault)
      try {
        await teams.save(team(id), 'x').catch(() => {})
      } finally {
        restore()
      }
      await teams.save(team(id), 'x')
      expect(await teams.find(id)).toMatchObject({ token: 'x' })
      const again = inject(fault)
      try {
        await teams.forget(id, '2026-12-01T12:00:00.000Z').catch(() => {})
      } finally {
        again()
      }
      await teams.forget(id, '2026-12-01T12:00:00.000Z')
      expect(await teams.find(id)).toBeNull()
    },
  )
})
