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

/** The worker with a browser around it that shows what it shows, and goes where it goes. */
function start(language: string, window?: { focus(): Promise<void> }) {
  const shown: Shown[] = []
  const opened: string[] = []
  const handlers = new Map<string, (event: object) => void>()
  const navigate = async (url: string) => void opened.push(`navigated ${url}`)
  const self = {
    location: { href: `${origin}/push-worker.js?language=${language}`, origin },
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
  test.each(['en', 'de'])('has words of its own for every kind (%s), and none for another', async (language) => {
    const { push, shown } = start(language)
    for (const kind of kindNames) await push(JSON.stringify({ id: 'ntf_1', kind, page: '/' }))
    await push(JSON.stringify({ id: 'ntf_1', kind: 'of a later version', page: '/' }))
    expect(new Set(shown.map(({ body }) => body)).size).toBe(kindNames.length + 1)
    const words = /(\w+): \{([^}]*)\}/g
    const named = [...source.matchAll(words)].filter(([, name]) => name === language)
    const keys = [...(named[0]?.[2] ?? '').matchAll(/^ +'?([\w-]+)'?:/gm)].map(([, key]) => key)
    expect(keys.sort()).toEqual([...kindNames, 'other'].sort())
  })

  test('speaks English where it does not know the language', async () => {
    const [english, other] = [start('en'), start('constructor')]
    for (const each of [english, other]) await each.push('{"kind":"wallet-low"}')
    expect(other.shown[0]?.body).toBe(english.shown[0]?.body)
  })

  test('shows something for whatever is pushed', async () => {
    const { push, shown } = start('en')
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

  test('opens pages of its own origin alone, in a window that is there or a new one', async () => {
    const { click, opened } = start('en')
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
    const unfocusable = start('en', { focus: () => Promise.reject(new Error('not allowed')) })
    await unfocusable.click('/tokens')
    expect(unfocusable.opened).toEqual([`navigated ${origin}/tokens`])
  })

  test('answers no request, so it can never show an old page', () => {
    expect([...start('en').handlers.keys()].sort()).toEqual(['activate', 'install', 'notificationclick', 'push'])
    expect(source).not.toMatch(/caches|fetch\(|importScripts|indexedDB/)
  })
})
