import { slackInstallations } from '../../../adapters/slack/installs.ts'
import type { SlackInstalls } from '../../../app/ports/channels.ts'
import { type TestSlack, testSlack, workshop } from '../../../emulators/slack/test/slack.ts'

const now = Date.parse('2026-11-20T12:00:00.000Z')
const back = 'https://berth.example/connect/slack'

let slack: TestSlack
let installs: SlackInstalls
beforeEach(async () => {
  slack = await testSlack({ now: () => now })
  installs = slackInstallations(async () => ({ ...slack.app, apiBase: `${slack.apiBase}/` }), back)
})
afterEach(() => slack.stop())

/** The parameters that the browser brings back from Slack's page after this user allowed the app. */
async function allowed(url: string, user: string = workshop.ada): Promise<{ code: string; state: string }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ user }), redirect: 'manual' })
  const location = new URL(response.headers.get('location') ?? '')
  expect(location.href.startsWith(back)).toBe(true)
  return { code: location.searchParams.get('code') ?? '', state: location.searchParams.get('state') ?? '' }
}

test('the user chooses a workspace at Slack, and the code is exchanged for its token', async () => {
  const { url } = await installs.begin('usr_1', now)
  expect(await (await fetch(url)).text()).toContain('Workshop, as ada')
  const { team, token } = await installs.finish(await allowed(url), 'usr_1', now + 1000)
  expect(team).toEqual({
    teamId: workshop.team,
    name: 'Workshop',
    botUserId: 'U0BOTWORKS',
    installerId: workshop.ada,
    installedAt: '2026-11-20T12:00:01.000Z',
  })
  expect(slack.store.value.teams[workshop.team]?.token).toBe(token)
})

describe('the return from Slack', () => {
  const refused = (given: { code: string; state: string }, user = 'usr_1', at = now) =>
    expect(installs.finish(given, user, at)).rejects.toMatchObject({ code: 'validation' })

  test('works only for the user who began, within ten minutes, with an unchanged state', async () => {
    const given = await allowed((await installs.begin('usr_1', now)).url)
    await refused(given, 'usr_2')
    await refused(given, 'usr_1', now + 10 * 60_000)
    await refused({ ...given, state: given.state.replace(/^\d/, '9') })
    await refused({ ...given, state: `${given.state.slice(0, -1)}_` })
    for (const state of ['', '.', 'NaN.x', '9e99.x', '\ud800']) await refused({ ...given, state })
    expect(slack.calls).toEqual([])
    await installs.finish(given, 'usr_1', now)
  })

  test('works once', async () => {
    const given = await allowed((await installs.begin('usr_1', now)).url)
    await installs.finish(given, 'usr_1', now)
    await refused(given)
  })

  test('is rejected with a code that Slack did not issue', async () => {
    const { state } = await allowed((await installs.begin('usr_1', now)).url)
    await refused({ code: 'made-up', state })
  })

  test('installs nothing when the person declined', async () => {
    const { code } = await allowed((await installs.begin('usr_1', now)).url, 'nobody')
    expect(code).toBe('')
  })

  test('can be retried after an outage of Slack', async () => {
    const given = await allowed((await installs.begin('usr_1', now)).url)
    slack.faults.down = true
    await expect(installs.finish(given, 'usr_1', now)).rejects.toMatchObject({ code: 'provider-error' })
  })
})

test('a stage without a Slack app offers no installation', async () => {
  const none = slackInstallations(async () => ({ appId: '', clientId: '', clientSecret: '', signingSecret: '' }), back)
  await expect(none.begin('usr_1', now)).rejects.toMatchObject({ code: 'conflict' })
  await expect(none.finish({ code: 'x', state: '1.x' }, 'usr_1', now)).rejects.toMatchObject({ code: 'conflict' })
})
