/**
 * Skills and personas in a browser: viewed, turned on, written, edited in two tabs, compared. `BERTH_URL`, `SHOTS`,
 * `CHROMIUM` as in main-job.ts. The job clears rate windows in the service's store (`BERTH_DATA_DIR`).
 */
import type { BrowserContext, Page } from 'playwright-core'
import { corpus } from '../dashboard/hostile-corpus/index.ts'
import { type Caller, call, hostedUser, origin, until } from '../service/client.ts'
import { forgetRates } from '../service/store.ts'
import { settled, violations } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser()
const browser = await startChromium()

const complaints: string[] = []

/** A browser with a signed-in user. */
async function contextOf(caller: Caller): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await signInTo(context, caller)
  return context
}

async function signInTo(context: BrowserContext, { cookie = '' }: Caller): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: origin }])
}

async function pageOf(context: BrowserContext): Promise<Page> {
  const opened = await context.newPage()
  opened.setDefaultTimeout(patienceMs)
  opened.on('pageerror', (error) => complaints.push(error.message))
  opened.on('dialog', (dialog) => {
    // The page asks for confirmation before an unsaved text is left.
    if (dialog.type() !== 'beforeunload') complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.accept()
  })
  opened.on('console', (said) => /Content Security Policy|violates/.test(said.text()) && complaints.push(said.text()))
  opened.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      complaints.push(`asked: ${request.url()}`)
  })
  return opened
}

const context = await contextOf(user)
const page = await pageOf(context)
const { step, that, shoot, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/catalogue`)

const button = (name: string | RegExp, where: Page = page) => where.getByRole('button', { name, exact: true })
const soul = (where: Page = page) => where.getByLabel(/^SOUL\.md/)
const personaOf = async (id: string) => (await call('GET', `/personas/${id}`, undefined, user)).body
const textsOf = async (id: string) => (await personaOf(id)).texts?.[0]?.text

async function looked(what: string, where: Page = page): Promise<void> {
  const found = [...(await violations(where)), ...(await obstacles(where))]
  that(`${what}: no obstacle for a reader`, found.length === 0, found)
}

await step('Find a skill, and read its instructions and access', async () => {
  await page.goto(`${origin}/skills`)
  await page.getByRole('link', { name: 'github-digest' }).waitFor()
  await page.getByLabel('Show', { exact: true }).selectOption('off')
  await until(
    'those that are off',
    () => page.locator('.skill').count(),
    (count) => count === 1,
  )
  that('the filter is in the URL', page.url().includes('show=off'), page.url())
  await page.getByLabel('Search', { exact: true }).fill('digest')
  await page.getByRole('link', { name: 'github-digest' }).click()
  that('the skill is in the URL', page.url().includes('skill=github-digest'), page.url())
  const facts = page.getByRole('region', { name: 'What it uses' })
  for (const said of ['api.github.com', 'GITHUB_TOKEN', '(not set)', 'node', 'reads files', 'remembers notes'])
    await facts.getByText(said).first().waitFor()
  that('the skill cannot be turned on yet', await button('Turn on').isDisabled())
  await page.getByRole('heading', { name: 'GitHub digest' }).waitFor()
  await button('As source').click()
  await page.getByText('# GitHub digest').waitFor()
  await looked('A skill')
  await shoot('skill')
  await page.goBack()
  await page.getByLabel('Search', { exact: true }).waitFor()
  that('Back returns to the search', page.url().includes('show=off'), page.url())
})

await step('Turn a skill off and on again', async () => {
  await page.goto(`${origin}/skills?skill=daily-brief`)
  await button('Turn off').click()
  await page.getByText('Once it is on').waitFor()
  const off = (await call('GET', '/skills/daily-brief', undefined, user)).body.skill
  that('the skill is off', off.enabled === false, off)
  await button('Turn on').click()
  await page.getByText('Once it is off').waitFor()
  await page.getByText('Nothing restarts.').waitFor()
})

await step('Copy a built-in persona, with a name in another script', async () => {
  await page.goto(`${origin}/personas`)
  await page.getByRole('link', { name: 'Duplicate Friendly coach' }).click()
  await page.getByLabel('Name', { exact: true }).fill('夜の編集者')
  that('the form shows the future id', (await page.getByLabel('Id').getAttribute('placeholder')) === 'persona')
  await page.getByLabel('Id').fill('night-editor')
  await soul().fill('Edit gently.\nSay why.')
  await shoot('new')
  await button('Save persona').click()
  await page.getByRole('heading', { name: '夜の編集者' }).waitFor()
  that('the persona has this id', page.url().endsWith('?persona=night-editor'), page.url())
  const { persona } = await personaOf('night-editor')
  that(
    'the persona is a copy of the original',
    persona.copiedFrom === 'friendly-coach' && persona.name === '夜の編集者',
    persona,
  )
  await page.getByText(/^Version 1, saved .* once you activate/).waitFor()
})

await step('Keep the input over a reload and a crash', async () => {
  await soul().fill('Edit gently.\nSay why.\nTyped before the reload.')
  await page.getByText('Not saved yet').waitFor()
  await page.reload()
  await until(
    'the draft',
    () => soul().inputValue(),
    (text) => text.includes('before the reload'),
  )
  await page.goto(`${origin}/personas`)
  const crashing = await pageOf(context)
  await crashing.goto(`${origin}/personas?persona=night-editor`)
  await soul(crashing).fill('Edit gently.\nSay why.\nTyped before the crash.')
  const crashed = crashing.waitForEvent('crash')
  void crashing.goto('chrome://crash').catch(() => {})
  await crashed
  await page.reload()
  await page.getByText('Not saved', { exact: true }).waitFor()
  await page.getByRole('link', { name: '夜の編集者', exact: true }).click()
  await until(
    'the draft',
    () => soul().inputValue(),
    (text) => text.includes('before the crash'),
  )
})

await step('Ask before unsaved changes are left', async () => {
  const asked = page.waitForEvent('dialog')
  await soul().press('End')
  await page.keyboard.type('!')
  const left = page.goto(`${origin}/skills`)
  that('the browser asks for confirmation', (await asked).type() === 'beforeunload')
  await left.catch(() => {})
})

await step('Sign out: other users do not see the draft, and it is restored afterwards', async () => {
  const other = await hostedUser()
  await context.clearCookies()
  await signInTo(context, other)
  await call(
    'PUT',
    '/personas/night-editor',
    { name: 'Theirs', files: [{ path: 'SOUL.md', text: 'Theirs.' }], basedOn: 0 },
    other,
  )
  await page.goto(`${origin}/personas`)
  await page.getByRole('link', { name: 'Theirs', exact: true }).waitFor()
  that('no draft is listed', (await page.getByText('Not saved', { exact: true }).count()) === 0)
  await page.getByRole('link', { name: 'Theirs', exact: true }).click()
  await soul().waitFor()
  that('no draft is shown', (await soul().inputValue()) === 'Theirs.', await soul().inputValue())
  await context.clearCookies()
  await signInTo(context, user)
  await page.goto(`${origin}/personas?persona=night-editor`)
  await until(
    'the draft',
    () => soul().inputValue(),
    (text) => text.includes('before the crash'),
  )
  await button('Save a new version').click()
  await page.getByText(/^Version 2, saved/).waitFor()
  that('the persona is saved', (await textsOf('night-editor')).includes('before the crash'))
})

await step('Change its name: its id stays', async () => {
  await page.getByLabel('Name', { exact: true }).fill('Ümit, Nachtlektor')
  await button('Save a new version').click()
  await page.getByText(/^Version 3, saved/).waitFor()
  const { persona } = await personaOf('night-editor')
  that('the name has changed', persona.name === 'Ümit, Nachtlektor' && persona.version === 3, persona)
  await button(/^Activate/).click()
  await page.getByText(/^Version 3, saved .* from its next message on, without a restart/).waitFor()
})

const second = await pageOf(context)

await step('Edit in two tabs: neither overwrites the other, and both texts are shown', async () => {
  await second.goto(`${origin}/personas?persona=night-editor`)
  await soul(second).waitFor()
  await soul().fill('First tab.\nSay why.')
  await soul(second).fill('Second tab.\nSay why.\nAnd when.')
  await button('Save a new version', second).click()
  await second.getByText(/^Version 4, saved/).waitFor()
  await page.getByText('Version 4 was saved meanwhile.').waitFor()
  that('the text cannot be saved before the conflict is shown', await button('Save a new version').isDisabled())
  that('the text is still in the field', (await soul().inputValue()).startsWith('First tab.'))
  await page.locator('.compare-removed', { hasText: 'Second tab.' }).waitFor()
  await page.locator('.compare-added', { hasText: 'First tab.' }).waitFor()
  await looked('A conflict')
  await shoot('conflict')
  await button('Edit together').click()
  const take = page.locator('.compare').getByRole('button', { name: 'Take this' })
  that('each change can be accepted', (await take.count()) === 2, await take.count())
  await take.last().click()
  that(
    'one change is accepted',
    (await soul().inputValue()) === 'First tab.\nSay why.\nAnd when.',
    await soul().inputValue(),
  )
  await button('Save a new version').click()
  await page.getByText(/^Version 5, saved/).waitFor()
  that('both texts are in the result', (await textsOf('night-editor')) === 'First tab.\nSay why.\nAnd when.')
})

await step('A save that loses the race is reported, and keeps its text', async () => {
  await soul().fill('Late.')
  await page.route('**/api/personas/night-editor', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    await call(
      'PUT',
      '/personas/night-editor',
      { name: 'Ümit', files: [{ path: 'SOUL.md', text: 'Quick.' }], basedOn: 5 },
      user,
    )
    await route.continue()
  })
  await button('Save a new version').click()
  await page.getByText('Version 6 was saved meanwhile.').waitFor()
  await page.unroute('**/api/personas/night-editor')
  that('the text is still in the field', (await soul().inputValue()) === 'Late.')
  await page.getByText('Its name is “Ümit”').waitFor()
  await button('Take what is saved').click()
  that('the other version is accepted', (await soul().inputValue()) === 'Quick.', await soul().inputValue())
  await button('Bring them back').click()
  that('the user’s own version can be restored', (await soul().inputValue()) === 'Late.')
  await button('Keep mine').click()
  await page.getByText(/^Version 7, saved/).waitFor()
  that('the user’s own version is saved', (await textsOf('night-editor')) === 'Late.')
})

await step('A save whose answer is lost resolves itself', async () => {
  await soul().fill('Answered into the void.')
  await page.route('**/api/personas/night-editor', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    await route.fetch()
    await route.abort()
  })
  await button('Save a new version').click()
  await page.getByText(/^Version 8, saved/).waitFor()
  await page.unroute('**/api/personas/night-editor')
  that('no change is unsaved', (await page.getByText('Not saved yet').count()) === 0)
})

await step('Two closed tabs leave two drafts', async () => {
  await second.reload()
  await until(
    'the newest',
    () => soul(second).inputValue(),
    (text) => text.startsWith('Answered'),
  )
  await soul().fill('Draft of the first tab.')
  await soul(second).fill('Draft of the second tab.')
  await second.close({ runBeforeUnload: false })
  await page.goto('about:blank')
  await page.goto(`${origin}/personas?persona=night-editor`)
  await page.getByText('There is another draft').waitFor()
  const first = await soul().inputValue()
  await button('Go on with that one').click()
  const other = await until(
    'the other draft',
    () => soul().inputValue(),
    (text) => text !== first,
  )
  const both = [first, other].sort()
  that('both drafts are listed', both.join() === 'Draft of the first tab.,Draft of the second tab.', both)
  await button('Discard my changes').click()
  await page.getByText('Your changes are discarded.').waitFor()
})

await step('Compare with the built-in persona, and compare versions', async () => {
  await page.getByLabel('Compare with').selectOption({ label: 'Friendly coach, which it was copied from' })
  await page.locator('.compare-removed').first().waitFor()
  that('the compared versions are in the URL', page.url().includes('with=friendly-coach'), page.url())
  await page.getByRole('button', { name: 'Changes of version 4' }).click()
  await page.locator('.versions .compare-added', { hasText: 'Second tab.' }).waitFor()
  await looked('Comparisons')
  await shoot('compared')
})

await step('Compare long lines and 100 KB', async () => {
  const long = `${'word '.repeat(1_500)}\n${Array.from({ length: 2_000 }, (_, line) => line % 10).join('\n')}`
  const other = `${'word '.repeat(1_200)}and ${'word '.repeat(299)}\n${Array.from({ length: 2_000 }, (_, line) => line % 9).join('\n')}`
  const save = (text: string, basedOn: number) =>
    call('PUT', '/personas/long', { name: 'Long', files: [{ path: 'SOUL.md', text }], basedOn }, user)
  await save(long, 0)
  await save(other, 1)
  await page.goto(`${origin}/personas?persona=long&with=v.1`)
  await page.locator('.compare-added').first().waitFor()
  const started = Date.now()
  that('the comparison is limited in size', (await page.locator('.compare tr').count()) <= 402)
  that('the comparison is drawn quickly', Date.now() - started < 3_000, Date.now() - started)
  await looked('A long comparison')
})

await step('Deleted during an edit: the text stays', async () => {
  await soul().fill('Mine, after all.')
  await call('DELETE', '/personas/long', undefined, user)
  await page.getByText('This persona was deleted meanwhile.').waitFor()
  that('the text is still in the field', (await soul().inputValue()) === 'Mine, after all.')
  await button('Save mine as a new one').click()
  await page.getByText(/^Version 1, saved/).waitFor()
  that('the persona is saved again', (await textsOf('long')) === 'Mine, after all.')
  await button('Delete Long').click()
  await button('Delete it with all its versions Long').click()
  await page.getByRole('link', { name: 'Write your own' }).waitFor()
  that(
    'no built-in persona can be deleted',
    (await page.getByRole('button', { name: /^Delete Default/ }).count()) === 0,
  )
  that('the persona is deleted', (await personaOf('long')).error === 'not-found')
})

await step('Hostile texts are shown and have no effect', async () => {
  const texts = corpus.map(({ text }) => text.toWellFormed().slice(0, 11_000)).filter((text) => text.trim() !== '')
  const json = (body: unknown) => ({ json: body as object })
  const { persona } = await personaOf('default')
  const { skill } = (await call('GET', '/skills/github-digest', undefined, user)).body
  let text = ''
  await page.route('**/api/personas/default', (route) =>
    route.fulfill(json({ persona: { ...persona, name: text.slice(0, 100) }, texts: [{ path: 'SOUL.md', text }] })),
  )
  await page.route('**/api/skills/github-digest', (route) =>
    route.fulfill(json({ skill: { ...skill, body: text, personas: [{ id: 'x', name: text.slice(0, 100) }] } })),
  )
  const perPage = 16
  let whole = 0
  for (let at = 0; at < texts.length; at += perPage) {
    text = texts
      .slice(at, at + perPage)
      .join('\n\n')
      .slice(0, 48_000)
    for (const path of ['/personas?persona=default', '/skills?skill=github-digest']) {
      // No person changes pages so fast.
      await forgetRates()
      await page.goto(`${origin}${path}`)
      await page.locator('.prose').first().waitFor()
      await button('As source').click()
      if ((await page.locator('h1').count()) === 1 && (await page.locator('.file-text pre').count()) === 1) whole++
    }
  }
  that('no page is blank or broken', whole === Math.ceil(texts.length / perPage) * 2, whole)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const versions = texts.filter((text) => text.length < 3_000)
  const joined = (from: number) =>
    versions
      .slice(from, from + 40)
      .join('\n')
      .slice(0, 11_900)
  const kept = Math.ceil(versions.length / 40)
  for (let basedOn = 0; basedOn < kept; basedOn++) {
    const files = [{ path: 'SOUL.md', text: joined(basedOn * 40) }]
    const { status } = await call('PUT', '/personas/hostile', { name: 'Hostile', files, basedOn }, user)
    that(`the text is saved as version ${basedOn + 1}`, status === 200, status)
  }
  for (let version = 1; version < kept; version++) {
    await forgetRates()
    await page.goto(`${origin}/personas?persona=hostile&with=v.${version}`)
    const compared = page.locator('.compare').first()
    await compared.locator('.compare-added').first().waitFor()
    that(
      'a comparison contains no invisible control character',
      !/[\u202a-\u202e\u2066-\u2069]/.test(await compared.innerText()),
    )
  }
})

for (const width of [390, 820, 1440])
  for (const colorScheme of ['light', 'dark'] as const)
    await step(`View the page at ${width} pixels, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      for (const path of [
        '/skills',
        '/skills?skill=github-digest',
        '/personas',
        '/personas?persona=night-editor&with=friendly-coach',
        '/personas?new=default',
      ]) {
        await forgetRates()
        await page.goto(`${origin}${path}`)
        await settled(page)
        await looked(`${path}, ${width} px, ${colorScheme}`)
        await shoot(`${path} ${width} ${colorScheme}`)
      }
    })

that(
  'no script ran, no other host was contacted, and the browser reported no errors',
  complaints.length === 0,
  complaints,
)
await browser.close()
process.exitCode = finish()
