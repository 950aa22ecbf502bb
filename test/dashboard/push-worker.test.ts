import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { kindNames } from '../../domain/notifications/kinds.ts'

const source = readFileSync(join(import.meta.dirname, '../../dashboard/public/push-worker.js'), 'utf8')
const origin = 'https://berth.example.com'

interface Shown {
  body: string
  tag: string
  data: { page: string }
}

/** The worker with a browser around it that records shown notifications and opened addresses. */
function start(window?: { focus(): Promise<void> }) {
  const shown: Shown[] = []
  const opened: string[] = []
  const handlers = new Map<string, (event: object) => void>()
  const navigate = async (url: string) => void opened.push(`navigated ${url}`)
  const self = {
    location: { href: `${origin}/push-worker.js`, origin },
    registration: { showNotification: async (_title: string, options: Shown) => void shown.push(options) },
    clients: {
      matchAll: async () => (window ? [{ ...window, navigate }] : []),
      openWindow: async (url: string) => void opened.push(`opened ${url}`),
    },
    addEventListener: (type: string, handle: (event: object) => void) => handlers.set(type, handle),
  }
  runInContext(source, createContext({ self, URL }))
  const fire = async (type: string, event: object) => {
    let waiting: Promise<unknown> = Promise.resolve()
    handlers.get(type)?.({ ...event, waitUntil: (work: Promise<unknown>) => (waiting = work) })
    await waiting
  }
  return {
    shown,
    opened,
    handlers,
    push: (text: string | null) => fire('push', { data: text === null ? null : { json: () => JSON.parse(text) } }),
    click: (page: unknown) => fire('notificationclick', { notification: { close: () => {}, data: { page } } }),
  }
}

describe('the service worker', () => {
  test('has a title for every kind, and one for unknown kinds', async () => {
    const { push, shown } = start()
    for (const kind of kindNames) await push(JSON.stringify({ id: 'ntf_1', kind, page: '/' }))
    await push(JSON.stringify({ id: 'ntf_1', kind: 'of a later version', page: '/' }))
    expect(new Set(shown.map(({ body }) => body)).size).toBe(kindNames.length + 1)
    const [, titles = ''] = /const titles = \{([^}]*)\}/.exec(source) ?? []
    const keys = [...titles.matchAll(/^ +'?([\w-]+)'?:/gm)].map(([, key]) => key)
    expect(keys.sort()).toEqual([...kindNames, 'other'].sort())
  })

  test('shows a notification for every push', async () => {
    const { push, shown } = start()
    const hostile = [
      null,
      '',
      '{',
      'null',
      '[]',
      '5',
      '"x"',
      '{"kind":"__proto__"}',
      '{"kind":"toString"}',
      '{"kind":{}}',
    ]
    for (const text of hostile) await push(text)
    expect(shown).toHaveLength(hostile.length)
    expect(new Set(shown.map(({ body }) => body)).size).toBe(1)
    expect(new Set(shown.map(({ data }) => data.page))).toEqual(new Set(['/notifications']))
  })

  test('opens only pages of its own origin, in an existing window or a new one', async () => {
    const { click, opened } = start()
    for (const page of ['/wallet', '/?conversation=cnv_1']) await click(page)
    const hostile = [
      'https://evil.example/',
      '//evil.example/',
      'javascript:alert(1)',
      '\\\\evil.example',
      'data:,x',
      'http://',
      undefined,
    ]
    for (const page of hostile) await click(page)
    expect(opened.slice(0, 2)).toEqual([`opened ${origin}/wallet`, `opened ${origin}/?conversation=cnv_1`])
    expect(opened).toHaveLength(2 + hostile.length)
    for (const url of opened) expect(url).toMatch(/^opened https:\/\/berth\.example\.com\//)
    const unfocusable = start({ focus: () => Promise.reject(new Error('not allowed')) })
    await unfocusable.click('/tokens')
    expect(unfocusable.opened).toEqual([`navigated ${origin}/tokens`])
  })

  test('answers no request, so it can never show an old page', () => {
    expect([...start().handlers.keys()].sort()).toEqual(['activate', 'install', 'notificationclick', 'push'])
    expect(source).not.toMatch(/caches|fetch\(|importScripts|indexedDB/)
  })
})
