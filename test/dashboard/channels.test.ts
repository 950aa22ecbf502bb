import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import fc from 'fast-check'
import { inGroups, showSecondsLeft } from '../../dashboard/channels/code-text.ts'
import { deliveryState, mergeDeliveries, nextLookMs } from '../../dashboard/channels/delivery-words.ts'
import { type Delivery, delivery, type Outgoing, showOutgoing } from '../../domain/channels/delivery.ts'
import {
  codeAlphabet,
  codeLength,
  homeOf,
  type LinkRecord,
  linkRecord,
  readCode,
  showLinks,
} from '../../domain/channels/link.ts'
import { platforms } from '../../domain/channels/platform.ts'
import { iso, minuteMs, secondMs } from '../../domain/time.ts'

const now = Date.parse('2026-11-01T12:00:00.000Z')
const dashboard = join(import.meta.dirname, '../../dashboard')

describe('a link code', () => {
  test('is shown as it can be typed', () => {
    const letters = fc.constantFrom(...codeAlphabet)
    const codes = fc.string({ unit: letters, minLength: codeLength, maxLength: codeLength })
    fc.assert(fc.property(codes, (code) => readCode(inGroups(code)) === code && inGroups(code) !== code))
  })

  test.each([
    [3_600, '60:00'],
    [3_599, '59:59'],
    [61, '1:01'],
    [9, '0:09'],
  ])('with %d seconds left is valid for %s', (seconds, shown) => {
    expect(showSecondsLeft(seconds)).toBe(shown)
  })
})

const deliveryAt = (ms: number, other: Partial<Delivery> = {}): Delivery => ({
  id: `out.${ms}`,
  direction: 'out',
  platform: 'telegram',
  chat: '',
  state: 'sent',
  text: '',
  failures: 0,
  reason: null,
  nextTryAt: null,
  at: iso(ms),
  ...other,
})

describe('a delivery', () => {
  test('has words for each of its states, whether it failed before or not', () => {
    const words = delivery.shape.state.options.flatMap((state) =>
      [0, 1].map((failures) => deliveryState({ state, failures })),
    )
    expect(words.filter((text) => !/^[A-Z][a-z]+( [a-z]+)*$/.test(text))).toEqual([])
    expect(deliveryState({ state: 'failed', failures: 9 })).toBe('Failed')
    expect(deliveryState({ state: 'sending', failures: 1 })).toBe('Being tried again')
    expect(deliveryState({ state: 'sending', failures: 0 })).toBe('Being sent')
  })

  test.each<[string, Delivery[], number, number]>([
    ['seldom while no delivery is pending', [deliveryAt(now)], 0, 30],
    ['often while a new one is pending', [deliveryAt(now - minuteMs, { state: 'sending' })], 0, 3],
    ['seldom while an old one is pending', [deliveryAt(now - 5 * minuteMs, { state: 'open' })], 0, 30],
    ['often once an old one is retried', [deliveryAt(0, { state: 'received' })], now - minuteMs, 3],
    ['seldom once the retry has ended', [deliveryAt(0, { state: 'failed' })], now - minuteMs, 30],
  ])('is checked again %s', (_, deliveries, retriedMs, seconds) => {
    expect(nextLookMs(deliveries, retriedMs, now)).toBe(seconds * secondMs)
  })

  test('is listed once, in its newest version, with the newest first', () => {
    const [old, young] = [deliveryAt(now, { state: 'open' }), deliveryAt(now + 1)]
    const sent = { ...old, state: 'sent' as const }
    expect(mergeDeliveries([old], [young, sent])).toEqual([young, sent])
    expect(mergeDeliveries([young, sent], [])).toEqual([young, sent])
  })
})

const linkOf = (other: Partial<LinkRecord>): LinkRecord =>
  linkRecord.parse({
    id: 'lnk_01',
    userId: 'usr_01',
    platform: 'telegram',
    kind: 'direct',
    chat: { platform: 'telegram', id: '1', kind: other.kind ?? 'direct' },
    personId: '1',
    person: 'Ada',
    conversation: 'main',
    home: false,
    state: 'linked',
    createdAt: iso(now),
    ...other,
  })

const said: Outgoing = {
  userId: 'usr_01',
  key: 'prm_01',
  chat: { platform: 'telegram', id: '1', kind: 'direct' },
  context: {},
  state: 'sending',
  final: { text: 'Yes.' },
  failures: 1,
  revision: 0,
  reason: 'it was busy',
  dueAt: now,
  createdAt: iso(now),
}

test.each<[Outgoing['state'], Partial<Outgoing>, string | null]>([
  ['sending', {}, 'it was busy'],
  ['sending', { failures: 0 }, null],
  ['failed', { dueAt: undefined }, 'it was busy'],
  ['sent', { dueAt: undefined }, null],
])('that is %s (%j) says why it failed: %s', (state, other, reason) => {
  expect(showOutgoing({ ...said, state, ...other }, new Map()).reason).toBe(reason)
})

describe('the home chat', () => {
  const first = linkOf({ id: 'first' })
  const later = linkOf({ id: 'later', createdAt: iso(now + 1) })
  const group = linkOf({ id: 'group', kind: 'group', createdAt: iso(now - 1) })
  test.each<[string, LinkRecord[], string | undefined]>([
    ['the selected chat', [first, { ...group, home: true }, later], 'group'],
    ['otherwise the first direct chat', [group, later, first], 'first'],
    ['never a lost chat', [{ ...first, home: true, state: 'lost' }, later], 'later'],
    ['never a group that was not selected', [group], undefined],
  ])('is %s, and shown so', (_, links, home) => {
    expect(homeOf(links)?.id).toBe(home)
    expect(showLinks(links).flatMap((shown) => (shown.home ? [shown.id] : []))).toEqual(home ? [home] : [])
  })
})

describe('the pages', () => {
  test('load the code for QR codes on demand, and no schema', async () => {
    const { metafile } = await build({
      entryPoints: [join(dashboard, 'main.tsx')],
      bundle: true,
      splitting: true,
      format: 'esm',
      jsx: 'automatic',
      external: ['*?url'],
      metafile: true,
      write: false,
      outdir: 'out',
    })
    const outputs = Object.values(metafile.outputs)
    const main = outputs.find(({ entryPoint }) => entryPoint?.endsWith('main.tsx'))
    const chunks = outputs.filter(({ inputs }) => Object.keys(inputs).some((path) => path.includes('node_modules/qr/')))
    expect([chunks.length, chunks.includes(main ?? (chunks[0] as never))]).toEqual([1, false])
    const shipped = outputs.flatMap(({ inputs }) => Object.entries(inputs)).filter(([, part]) => part.bytesInOutput > 0)
    const schemas = shipped.flatMap(([path]) => {
      const imports = metafile.inputs[path]?.imports ?? []
      return imports.some(({ original }) => original === 'zod') ? [path] : []
    })
    expect(schemas).toEqual([])
  })

  test('draw and label every platform, and name its messages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-platforms-'))
    const contents = `
      import { renderToStaticMarkup } from 'react-dom/server'
      import { PlatformIcon } from './components/icons.tsx'
      import { platformLabel } from './labels.ts'
      export const drawn = (platform) => renderToStaticMarkup(<PlatformIcon platform={platform} />) + platformLabel(platform)
    `
    const outfile = join(folder, 'platforms.cjs')
    const stdin = { contents, loader: 'tsx', resolveDir: dashboard } as const
    await build({ stdin, outfile, bundle: true, format: 'cjs', platform: 'node', jsx: 'automatic' })
    const { drawn } = (await import(outfile)).default
    rmSync(folder, { recursive: true })
    expect(platforms.map((platform) => drawn(platform)).filter((html) => !/<svg.*<\/svg>[A-Z]/.test(html))).toEqual([])
    expect(drawn('carrier-pigeon')).toBe('carrier-pigeon')
  })
})
