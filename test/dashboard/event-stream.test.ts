import { jest } from '@jest/globals'
import { session } from '../../dashboard/data/client.ts'
import { followEvents } from '../../dashboard/event-stream.ts'
import type { Event as ServerEvent } from '../../domain/chat/event.ts'
import { firstIdAt } from '../../domain/ids.ts'
import type { ReaderMessage } from '../../domain/socket/message.ts'
import { hourMs, iso, minuteMs, secondMs } from '../../domain/time.ts'

const start = Date.parse('2026-11-01T12:00:00.000Z')
const eventAt = (ms: number): ServerEvent => ({ id: firstIdAt('evt', ms), type: 'wallet.low', at: iso(ms), data: {} })

/** A browser, as far as the stream uses it, and the service. */
let browser: ReturnType<typeof openBrowser>
function openBrowser() {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const browser = {
    page,
    sockets: [] as PageSocket[],
    channels: new Set<Channel>(),
    lock: Promise.resolve(),
    /** Whether handshakes are accepted, and the answer of `GET /auth/session`: none when the network is down. */
    lets: true,
    session: 200 as number | null,
    asked: 0,
    open: () => browser.sockets.filter(({ readyState }) => readyState === 1),
    show(visible: boolean) {
      page.visibilityState = visible ? 'visible' : 'hidden'
      page.dispatchEvent(new Event('visibilitychange'))
    },
    push: (...events: ServerEvent[]) => {
      for (const socket of browser.open()) socket.receive({ type: 'events', events })
    },
  }
  return browser
}

class PageSocket {
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((message: { data: string }) => void) | null = null
  readyState = 0
  readonly resumedAfter: (string | null)[] = []

  constructor() {
    browser.sockets.push(this)
    setTimeout(() => (browser.lets ? this.#open() : this.#end()), 50)
  }

  #open(): void {
    if (this.readyState !== 0) return
    this.readyState = 1
    this.onopen?.()
  }

  #end(): void {
    this.readyState = 3
    this.onclose?.()
  }

  close(): void {
    this.readyState = 3
  }

  send(text: string): void {
    const { action, after } = JSON.parse(text)
    if (action !== 'resume') return
    this.resumedAfter.push(after)
    this.receive({ type: 'resumed', upTo: firstIdAt('evt', Date.now()) })
  }

  receive(message: ReaderMessage): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

/** A post of one tab reaches the others a moment later. */
class Channel {
  onmessage: ((message: { data: unknown }) => void) | null = null

  constructor() {
    browser.channels.add(this)
  }

  postMessage(data: unknown): void {
    for (const other of browser.channels)
      if (other !== this) queueMicrotask(() => other.onmessage?.({ data: structuredClone(data) }))
  }

  close(): void {
    browser.channels.delete(this)
    this.onmessage = null
  }
}

/** One holder at a time; an aborted request waits no longer. */
const locks = {
  request(_name: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void> {
    const turn = browser.lock.then(() => signal.throwIfAborted()).then(hold)
    browser.lock = turn.catch(() => {})
    return turn
  },
}

const page = {
  document: () => browser.page,
  location: () => ({ protocol: 'https:', host: 'berth.example' }),
  navigator: () => ({ locks }),
  WebSocket: () => PageSocket,
  BroadcastChannel: () => Channel,
  fetch: () => async () => {
    browser.asked++
    if (browser.session === null) throw new TypeError('no network')
    const body = browser.session === 401 ? { error: 'unauthorized', message: 'Sign in.' } : {}
    return Response.json(body, { status: browser.session })
  },
}
const before = Object.keys(page).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)

beforeEach(() => {
  jest.useFakeTimers({ now: start })
  browser = openBrowser()
  for (const [name, get] of Object.entries(page)) Object.defineProperty(globalThis, name, { get, configurable: true })
})
afterEach(() => {
  for (const [name, descriptor] of before)
    if (descriptor) Object.defineProperty(globalThis, name, descriptor)
    else Reflect.deleteProperty(globalThis, name)
  jest.useRealTimers()
})
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

/** A tab of the browser, and the events that its pages get. */
async function openTab() {
  const told = { events: [] as string[], connected: [] as boolean[], missed: 0 }
  const stream = followEvents('usr_1', {
    onEvent: ({ id }) => told.events.push(id),
    onGrowing: () => {},
    onConnected: (open) => told.connected.push(open),
    onMissed: () => told.missed++,
  })
  await pass(secondMs)
  return Object.assign(told, { stream })
}

describe('a hidden page', () => {
  test('keeps its connection for a minute, then closes it and opens none', async () => {
    await openTab()
    browser.show(false)
    await pass(59 * secondMs)
    expect(browser.open()).toHaveLength(1)
    await pass(2 * secondMs)
    expect(browser.open()).toEqual([])
    await pass(3 * hourMs)
    expect(browser.sockets).toHaveLength(1)
  })

  test('that is shown again within the minute notices nothing', async () => {
    await openTab()
    browser.show(false)
    await pass(59 * secondMs)
    browser.show(true)
    await pass(5 * minuteMs)
    expect([browser.sockets.length, browser.open().length]).toEqual([1, 1])
  })

  test('that is shown again later resumes after its last event, and reloads nothing', async () => {
    const tab = await openTab()
    const completeTo = firstIdAt('evt', start + 50)
    browser.show(false)
    await pass(30 * minuteMs)
    browser.show(true)
    await pass(secondMs)
    expect(browser.sockets.map(({ resumedAfter }) => resumedAfter)).toEqual([[null], [completeTo]])
    const event = eventAt(Date.now())
    browser.push(event, event)
    expect([tab.missed, tab.events]).toEqual([1, [event.id]])
  })

  test('that is shown again after hours reloads everything', async () => {
    const tab = await openTab()
    browser.show(false)
    await pass(3 * hourMs)
    browser.show(true)
    await pass(secondMs)
    expect([tab.missed, browser.open()[0]?.resumedAfter]).toEqual([2, [null]])
  })

  test('leaves the connection to a visible tab, which continues at the same position', async () => {
    const [first, second] = [await openTab(), await openTab()]
    expect([browser.sockets.length, first.connected, second.connected]).toEqual([1, [true], [true]])
    // Until a resume has been answered, the second tab has no position to resume from.
    await pass(25 * minuteMs)
    const completeTo = firstIdAt('evt', start + 50 + 20 * minuteMs)
    const both = eventAt(Date.now())
    browser.push(both)
    await pass(10)
    first.stream.close()
    await pass(secondMs)
    expect([browser.open().map(({ resumedAfter }) => resumedAfter), second.missed]).toEqual([[[completeTo]], 1])
    const later = eventAt(Date.now())
    browser.push(both, later)
    expect([first.events, second.events]).toEqual([[both.id], [both.id, later.id]])
  })
})

test('a closed page has no connection, whatever is shown or hidden after it', async () => {
  const { stream } = await openTab()
  stream.close()
  browser.show(false)
  browser.show(true)
  await pass(hourMs)
  expect([browser.sockets.length, browser.open().length]).toEqual([1, 0])
})

describe('a refused handshake', () => {
  const signedOut = jest.fn()
  beforeEach(() => {
    signedOut.mockReset()
    session.addEventListener('signed-out', signedOut)
    browser.lets = false
  })
  afterEach(() => session.removeEventListener('signed-out', signedOut))

  test('for an expired session says so', async () => {
    browser.session = 401
    await openTab()
    expect(browser.asked).toBeGreaterThan(0)
    browser.lets = true // No request is left without an answer.
    await pass(10 * secondMs)
    expect(signedOut).toHaveBeenCalledTimes(browser.asked)
  })

  test.each([200, 429, 500, null])('is retried while the session answers %s', async (status) => {
    browser.session = status
    const tab = await openTab()
    await pass(secondMs)
    expect(browser.asked).toBeGreaterThan(0)
    expect([signedOut.mock.calls.length, tab.connected.includes(true)]).toEqual([0, false])
    browser.lets = true
    await pass(10 * secondMs)
    expect([browser.open().length, tab.connected.at(-1)]).toEqual([1, true])
  })
})
