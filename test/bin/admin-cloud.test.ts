import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { database } from '../../adapters/dynamo/client.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import { iso } from '../../domain/time.ts'
import { fresh, now } from '../adapters/dynamo/wallet-world.ts'
import { type Engine, startEngine } from '../adapters/engine.ts'
import { compiled } from '../counts.ts'
import { deployments } from '../lib/synthesis.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-admin-cloud-'))
let engine: Engine
let logical: string[]
/** A physical name as CloudFormation creates it: the stack, the logical id and a random suffix. */
const physical = (name: string) =>
  `berth-production-state-${logical.find((id) => id.startsWith(`Tables${name}`))}-1ABCDEF2GHIJK`

beforeAll(async () => {
  const { production } = await deployments()
  logical = production.ofType('AWS::DynamoDB::Table').map(([id]) => id)
  engine = await startEngine(physical)
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB
  writeFileSync(
    join(folder, 'config'),
    `[profile operator]\nregion = us-east-1\nservices = here\n[services here]\ndynamodb =\n  endpoint_url = ${endpoint}\n`,
  )
  writeFileSync(join(folder, 'credentials'), '[operator]\naws_access_key_id = a\naws_secret_access_key = b\n')
})
afterAll(async () => {
  await engine.stop()
  rmSync(folder, { recursive: true })
})

/** Runs the command as an operator who has only an AWS profile. */
async function admin(args: string[], env: Record<string, string> = { AWS_PROFILE: 'operator' }) {
  const files = { AWS_CONFIG_FILE: join(folder, 'config'), AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials') }
  const child = spawn(process.execPath, ['bin/admin.ts', '--stage', 'production', ...args], {
    env: { ...compiled, PATH: process.env.PATH, USER: 'ada', AWS_EC2_METADATA_DISABLED: 'true', ...files, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, out, err }
}

describe('npm run admin -- --stage', () => {
  it('finds the deployed stack’s tables through the profile, prints the stage, and works on those tables', async () => {
    const userId = fresh('usr')
    await wallets(engine.env).creditOnce(userId, 'start', 5_000_000, 'topup', 'Top-up', iso(now))
    const credited = await admin(['credit', userId, '250', '--reason', 'sorry'])
    expect(credited).toMatchObject({ code: 0, out: expect.stringContaining('available $7.50') })
    expect(credited.err).toContain(`On ${physical('wallets')} in us-east-1.`)
    const shown = await admin(['wallet', 'show', userId])
    expect(shown.out).toContain('start credited $5.00')
    expect(await admin(['books'])).toMatchObject({ code: 0, out: expect.stringContaining('1 wallets, 0 that differ') })
    expect((await wallets(engine.env).read(userId)).available).toBe(7_500_000)
  })

  it('ignores the tables of other stages', async () => {
    const other = await admin(['books', '--stage', 'prod'])
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('The stage prod has no table wallets here')])
  })

  it('asks for a table name when a deleted stack left its tables, and uses the given one', async () => {
    const left = physical('audit').replace('-1ABCDEF2GHIJK', '-9OLD')
    const key = (name: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName: name, KeyType })
    await database().send(
      new CreateTableCommand({
        TableName: left,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [key('userId', 'HASH'), key('id', 'RANGE')],
        AttributeDefinitions: ['userId', 'id'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      }),
    )
    const asked = await admin(['books'])
    expect(asked.code).toBe(1)
    expect(asked.err).toMatch(/more than one table audit: .*Choose one: AUDIT_TABLE=/)
    const profile = { AWS_PROFILE: 'operator' }
    expect(await admin(['books'], { ...profile, AUDIT_TABLE: physical('audit') })).toMatchObject({ code: 0 })
    expect((await admin(['books'], { ...profile, AUDIT_TABLE: 'mistyped' })).err).toContain('has no table audit')
  })

  it('names the missing Region or credentials', async () => {
    const nothing = await admin(['books'], {})
    expect([nothing.code, nothing.out]).toEqual([1, ''])
    expect(nothing.err).toMatch(/Region|credentials/i)
  })
})
