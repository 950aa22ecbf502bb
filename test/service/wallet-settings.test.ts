import { api, ask, call, hostedUser, signIn, until, usageLines } from './client.ts'

const today = () => new Date().toISOString().slice(0, 10)
const tomorrow = () => new Date(Date.now() + 864e5).toISOString().slice(0, 10)
const patOf = async (user: { cookie: string }) => ({
  bearer: (await call('POST', '/tokens', { name: 'reader' }, user)).body.plaintext,
})

describe('setWalletLimits', () => {
  test('is shown at once and stops a call with an error that gives advice', async () => {
    const user = await hostedUser(500)
    const set = await call('PUT', '/wallet/limits', { dailyCapCents: 0 }, user)
    expect([set.status, set.body.limits.dailyCapCents]).toEqual([200, 0])
    expect((await call('GET', '/wallet', undefined, user)).body.limits.dailyCapCents).toBe(0)
    const { text } = await ask(user, 'hello')
    expect(text).toMatch(/spending limit|wallet page/i)
    const raised = await call('PUT', '/wallet/limits', { dailyCapCents: 2_000, triggerCapsCents: { tool: 5 } }, user)
    expect(raised.body.limits).toMatchObject({ dailyCapCents: 2_000, triggerCapsCents: { tool: 5, chat: null } })
    expect((await ask(user, 'hello again')).text).toContain('hello again')
    const { limits } = (await call('GET', '/wallet', undefined, user)).body
    expect(limits.spentTodayMicros).toBeGreaterThan(0)
    expect(limits.spentTodayByTriggerMicros.chat).toBe(limits.spentTodayMicros)
  })

  test('is for signed-in browsers only, and names a wrong field', async () => {
    const user = await signIn()
    const byToken = await call('PUT', '/wallet/limits', { dailyCapCents: 100 }, await patOf(user))
    expect([byToken.status, byToken.body.error]).toEqual([403, 'forbidden'])
    const wrong = await call('PUT', '/wallet/limits', { dailyCapCents: 1.5 }, user)
    expect([wrong.status, Object.keys(wrong.body.details)]).toEqual([400, ['dailyCapCents']])
  })
})

describe('setAutoTopup', () => {
  const settings = { thresholdCents: 200, amountCents: 1_000, monthlyCapCents: 5_000 }

  test('is stored and shown with the wallet', async () => {
    const user = await signIn()
    expect((await call('GET', '/wallet', undefined, user)).body.autoTopup).toBeUndefined()
    const set = await call('PUT', '/wallet/auto-topup', settings, user)
    expect([set.status, set.body]).toEqual([200, { autoTopup: { enabled: true, ...settings } }])
    await call('PUT', '/wallet/auto-topup', { ...settings, enabled: false }, user)
    expect((await call('GET', '/wallet', undefined, user)).body.autoTopup).toEqual({ enabled: false, ...settings })
  })

  test('refuses a month’s cap below one charge, and tokens', async () => {
    const user = await signIn()
    const low = await call('PUT', '/wallet/auto-topup', { ...settings, monthlyCapCents: 900 }, user)
    expect([low.status, Object.keys(low.body.details)]).toEqual([400, ['monthlyCapCents']])
    expect((await call('PUT', '/wallet/auto-topup', settings, await patOf(user))).status).toBe(403)
  })
})

describe('getWalletUsage', () => {
  test('adds up the day’s calls by day, model and trigger, with the same sum as the ledger', async () => {
    const user = await hostedUser(500)
    await ask(user, 'count this')
    const lines = await until(
      'a usage line',
      () => usageLines(user),
      (all) => all.length > 0,
    )
    const spent = -lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0)
    const keys: Record<string, string | undefined> = {
      day: today(),
      model: lines[0]?.receipt?.model,
      trigger: 'chat',
      token: 'none',
      conversation: 'main',
    }
    for (const by of Object.keys(keys)) {
      const { body } = await call('GET', `/wallet/usage?from=${today()}&to=${tomorrow()}&by=${by}`, undefined, user)
      expect(body.usage).toMatchObject([{ key: keys[by], calls: lines.length, amountMicros: spent }])
      expect(body.days).toMatchObject([{ day: today(), amountMicros: spent }])
      expect(body.total).toMatchObject({ amountMicros: spent })
      const only = (key?: string) =>
        call(
          'GET',
          `/wallet/usage?from=${today()}&to=${tomorrow()}&by=day&${by}=${encodeURIComponent(key ?? '')}`,
          undefined,
          user,
        )
      if (by === 'day') continue
      expect((await only(keys[by])).body.total).toMatchObject({ amountMicros: spent })
      expect((await only('another')).body.total).toMatchObject({ calls: 0, amountMicros: 0 })
    }
  })

  test('refuses invalid days and ranges that are too long', async () => {
    const user = await signIn()
    const statuses = ['from=2026-02-30', 'from=2026-11-02&to=2026-11-01', 'from=2020-01-01', 'by=week'].map(
      async (query) => (await call('GET', `/wallet/usage?${query}`, undefined, user)).status,
    )
    expect(await Promise.all(statuses)).toEqual([400, 400, 400, 400])
  })
})

describe('getWalletForecast', () => {
  test('extrapolates the first day from today’s spending', async () => {
    const user = await hostedUser(500)
    const { status, body } = await call('GET', '/wallet/forecast', undefined, user)
    expect(status).toBe(200)
    expect(body).toMatchObject({ month: today().slice(0, 7), rateDays: 0, missingMicros: expect.any(Number) })
    expect(body.monthEndMicros).toBeGreaterThanOrEqual(body.spentMicros)
  })
})

describe('getWalletStatement', () => {
  test('returns the ledger as CSV', async () => {
    const user = await hostedUser(500)
    const response = await fetch(`${api}/wallet/statement`, { headers: { cookie: user.cookie } })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain('statement.csv')
    const rows = (await response.text()).trimEnd().split('\r\n')
    expect(rows[0]).toBe(
      'id,at,type,description,amountUsd,balanceUsd,model,inputTokens,outputTokens,trigger,token,conversation',
    )
    expect(rows.find((row) => row.includes(',topup,'))).toMatch(/^txn_\w{26},.*,topup,Top-up,5\.000000,\d+\.\d{6},{6}$/)
  })

  test('returns each entry once over its pages, and is complete then', async () => {
    const user = await hostedUser(500)
    const get = async (query: string) =>
      (await (await fetch(`${api}/wallet/statement?${query}`, { headers: { cookie: user.cookie } })).text()).split(
        '\r\n',
      )
    const whole = await get('')
    const pages: string[] = []
    for (let after = ''; ; ) {
      const rows = (await get(`limit=1${after && `&after=${after}`}`)).slice(after ? 0 : 1, -1)
      if (rows.length === 0) break
      pages.push(...rows)
      after = rows.at(-1)?.split(',')[0] ?? ''
    }
    expect(pages).toEqual(whole.slice(1, -1))
    expect(pages.length).toBeGreaterThan(0)
    expect((await call('GET', '/wallet/statement?after=txn_1', undefined, user)).status).toBe(400)
  })

  test('requires the wallet’s scope', async () => {
    const user = await signIn()
    const { body } = await call('POST', '/tokens', { name: 'x', scopes: ['mcp:skills.read'] }, user)
    const refused = await call('GET', '/wallet/statement', undefined, { bearer: body.plaintext })
    expect(refused.status).toBe(403)
  })
})
