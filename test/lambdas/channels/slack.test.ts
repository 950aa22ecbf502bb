import { commandsAs } from '../../../domain/channels/commands.ts'
import { lines } from '../../../domain/channels/lines.ts'
import { wordsOf } from '../../../emulators/slack/content.ts'
import { harbour, type TestSlack, testSlack, workshop } from '../../../emulators/slack/test/slack.ts'
import { counted } from '../../adapters/engine.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
let slack: TestSlack
beforeAll(async () => {
  world = await openChannelsWorld()
  slack = await testSlack({ now: () => world.clock.nowMs })
  const { scopes: _, ...app } = slack.app
  await world.cloud.cloud.putSecret('slack', JSON.stringify({ ...app, apiBase: `${slack.apiBase}/` }))
})
afterAll(async () => {
  await slack.stop()
  await world.close()
})

const origin = 'http://localhost'
const start = (headers: Record<string, string>) =>
  world.request({ method: 'POST', path: '/channels/slack/installs', headers })
const finish = (headers: Record<string, string>, body: object) =>
  world.request({ method: 'POST', path: '/channels/slack/installs/finish', headers, body })

/** The browser's parameters after this person allowed the app at Slack. */
async function allow(url: string, user: string): Promise<{ code: string; state: string }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ user }), redirect: 'manual' })
  const { searchParams } = new URL(response.headers.get('location') ?? '')
  return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' }
}

/** Delivers Slack's new events to our webhook and processes them. */
async function hear(): Promise<number[]> {
  await slack.settled()
  const statuses: number[] = []
  for (const { headers, rawBody } of slack.delivered.splice(0)) {
    const { status } = await world.request({
      method: 'POST',
      path: '/webhooks/slack',
      headers: { ...headers, Origin: undefined, 'Content-Type': headers['content-type'] },
      body: rawBody,
    })
    statuses.push(status)
  }
  await world.work()
  return statuses
}

const textsIn = (channel: string) =>
  slack.store.value.messages.flatMap((message) =>
    message.channel === channel && message.user.startsWith('U0BOT') ? [wordsOf(message)] : [],
  )

describe('startSlackInstall', () => {
  test('requires a session, and writes only the count of its caller', async () => {
    const { headers } = await world.session((await world.tenant()).userId)
    const { result, calls } = await counted(() => start(headers))
    expect(result).toMatchObject({ status: 200, body: { url: expect.stringContaining('/oauth/v2/authorize?') } })
    expect(calls).toHaveLength(2)
    const token = await world.bearer(['api:channels'])
    expect((await start(token.headers)).status).toBe(403)
  })
})

describe('finishSlackInstall', () => {
  test('stores the workspace for the user who began, and for no other', async () => {
    const [ada, eve] = [
      await world.session((await world.tenant()).userId),
      await world.session((await world.tenant()).userId),
    ]
    const given = await allow((await start(ada.headers)).body.url, harbour.finn)
    expect(await finish(eve.headers, given)).toMatchObject({ status: 400, body: { error: 'validation' } })
    expect(await world.ports.slackTeams.find(harbour.team)).toBeNull()
    expect(await finish(ada.headers, given)).toMatchObject({
      status: 200,
      body: { workspace: { id: harbour.team, name: 'Harbour' } },
    })
    expect(await world.ports.slackTeams.find(harbour.team)).toMatchObject({ botUserId: 'U0BOTHARBO' })
    expect(await finish(ada.headers, given)).toMatchObject({ status: 400 })
  })
})

describe('receiveSlack, end to end', () => {
  test('a workspace is added, a person links their chat, asks, gets a reply, and the workspace leaves', async () => {
    const tenant = await world.tenant()
    await world.ports.wallets.creditOnce(
      tenant.userId,
      'gift',
      5_000_000,
      'adjustment',
      'A gift',
      '2026-11-20T12:00:00.000Z',
    )
    const { headers } = await world.session(tenant.userId)
    await finish(headers, await allow((await start(headers)).body.url, workshop.ada))
    const channel = slack.people.direct(workshop.team, workshop.ada).id
    const at = { user: workshop.ada, channel }

    slack.people.say(at, 'hello?')
    expect(await hear()).toEqual([200])
    expect(textsIn(channel)).toEqual([lines.stranger(origin)])

    await slack.people.command(at, `/berth link ${await world.newCode(headers)}`)
    await hear()
    expect(textsIn(channel).at(-1)).toBe(commandsAs('slack', lines.linked(origin, 'u…@example.com')))

    slack.people.say(at, 'What is the tide today?')
    await hear()
    const prompt = await world.take(tenant)
    expect(prompt).toMatchObject({ text: 'What is the tide today?' })
    await world.observe(tenant, { kind: 'reply', promptId: prompt?.id, text: '**Low** at 6, <!channel>' })
    await world.work()
    expect(textsIn(channel).at(-1)).toBe('**Low** at 6, <\u2060!channel>')

    slack.people.uninstall(workshop.team)
    await hear()
    expect(await world.ports.slackTeams.find(workshop.team)).toBeNull()
  })

  test('a request that Slack did not sign is rejected before any store request', async () => {
    const sent = { method: 'POST', path: '/webhooks/slack', headers: { Origin: undefined }, body: '{}' }
    const { result, calls } = await counted(() => world.request(sent))
    expect(result).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(calls).toEqual([])
  })
})
