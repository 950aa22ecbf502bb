import { jest } from '@jest/globals'
import { MachineSocket } from '../../../agent/supervisor/socket.ts'

const [secondMs, minuteMs] = [1_000, 60_000]

/** A gateway, with the connections to it and their times. It accepts, refuses, or never answers. */
class Gateway {
  answers: 'open' | 'refused' | 'nothing' = 'open'
  readonly connections: Connection[] = []

  get open(): Connection[] {
    return this.connections.filter(({ readyState }) => readyState === Connection.OPEN)
  }
}
let gateway: Gateway

/** The part of the standard WebSocket that the machine uses. */
class Connection extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSED = 3
  readonly atMs = Date.now()
  readonly bearer: string
  readonly sent: { atMs: number; message: unknown }[] = []
  readyState: number = Connection.CONNECTING

  constructor(_url: string, { headers }: { headers: { authorization: string } }) {
    super()
    this.bearer = headers.authorization
    gateway.connections.push(this)
    const { answers } = gateway
    if (answers !== 'nothing') setTimeout(() => (answers === 'open' ? this.#opened() : this.end()), 50)
  }

  #opened(): void {
    if (this.readyState !== Connection.CONNECTING) return
    this.readyState = Connection.OPEN
    this.dispatchEvent(new Event('open'))
  }

  send(text: string): void {
    if (this.readyState !== Connection.OPEN) throw new Error('sent over a connection that is not open')
    this.sent.push({ atMs: Date.now(), message: JSON.parse(text) })
  }

  /** A push from the service. */
  push(message: object): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(message) }))
  }

  close(): void {
    this.end()
  }

  end(code = 1006): void {
    if (this.readyState === Connection.CLOSED) return
    this.readyState = Connection.CLOSED
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }
}

/** A machine's socket, and the events that it reported. */
function openSocket(url: string | null = 'ws://gateway') {
  const told: string[] = []
  const messages: string[] = []
  const lines: string[] = []
  const machine = { token: 1 }
  const socket = new MachineSocket({
    url,
    bearer: () => `Bearer ${machine.token}`,
    connected: (renewed) => told.push(renewed ? 'renewed' : 'connected'),
    disconnected: () => told.push('disconnected'),
    message: (text) => messages.push(text),
    log: (line) => lines.push(line),
  })
  return Object.assign(machine, { socket, told, messages, lines })
}

const real = globalThis.WebSocket
beforeEach(() => {
  jest.useFakeTimers()
  jest.spyOn(Math, 'random').mockReturnValue(1)
  gateway = new Gateway()
  globalThis.WebSocket = Connection as unknown as typeof WebSocket // safe because the machine uses no other part of it
})
afterEach(() => {
  globalThis.WebSocket = real
  jest.restoreAllMocks()
  jest.useRealTimers()
})
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

describe('a lasting connection', () => {
  test('is never silent for ten minutes, and sends only pings by itself', async () => {
    openSocket()
    await pass(115 * minuteMs)
    const [{ atMs, sent }] = gateway.connections as [Connection]
    expect(sent.map(({ message }) => message)).toEqual(Array(12).fill({ action: 'ping' }))
    const times = [atMs, ...sent.map((ping) => ping.atMs)]
    expect(Math.max(...times.slice(1).map((ms, i) => ms - (times[i] ?? 0)))).toBeLessThan(10 * minuteMs)
    expect(gateway.connections).toHaveLength(1)
  })

  test('gets no more pings once it has ended', async () => {
    const { told } = openSocket()
    await pass(minuteMs)
    gateway.answers = 'nothing'
    gateway.connections[0]?.end()
    await pass(30 * minuteMs)
    expect(gateway.connections[0]?.sent).toEqual([])
    expect(told).toEqual(['connected', 'disconnected'])
  })

  test('sends messages; without a connection nothing is sent', async () => {
    const { socket } = openSocket()
    expect(socket.send({ action: 'text' })).toBe(false)
    await pass(secondMs)
    expect(socket.send({ action: 'text' })).toBe(true)
    gateway.connections[0]?.end()
    expect(socket.send({ action: 'text' })).toBe(false)
  })
})

describe('a connection that is replaced before its two hours are over', () => {
  test('stays open until ten seconds after the next is open, so that no message in flight is lost', async () => {
    const machine = openSocket()
    await pass(100 * minuteMs)
    machine.token = 2
    void machine.socket.renew()
    await pass(60)
    const [first, second] = gateway.connections as [Connection, Connection]
    expect(gateway.open).toEqual([first, second])
    first.push({ type: 'work' })
    second.push({ type: 'report' })
    expect(machine.messages).toEqual(['{"type":"work"}', '{"type":"report"}'])
    machine.socket.send({ action: 'text' })
    expect([first.sent.length, second.sent.length]).toEqual([11, 1])
    await pass(10 * secondMs)
    expect(gateway.open).toEqual([second])
    expect([first.bearer, second.bearer]).toEqual(['Bearer 1', 'Bearer 2'])
    expect(machine.told).toEqual(['connected', 'renewed'])
    expect(machine.socket.ageMs).toBeLessThan(minuteMs)
  })

  test('may be ended by the service as soon as the next is open: the machine stays connected', async () => {
    const machine = openSocket()
    await pass(100 * minuteMs)
    void machine.socket.renew()
    await pass(60)
    gateway.connections[0]?.end(1000)
    await pass(minuteMs)
    expect(machine.socket.isConnected).toBe(true)
    expect([gateway.connections.length, machine.told]).toEqual([2, ['connected', 'renewed']])
  })

  test('may end before the next is open: no listener hears of a gap that the next one closes', async () => {
    const machine = openSocket()
    await pass(100 * minuteMs)
    void machine.socket.renew()
    gateway.connections[0]?.end()
    await pass(minuteMs)
    expect([gateway.open.length, machine.told]).toEqual([1, ['connected', 'renewed']])
  })

  test('remains when the next is refused, and the renewal is retried', async () => {
    const machine = openSocket()
    await pass(100 * minuteMs)
    gateway.answers = 'refused'
    void machine.socket.renew()
    await pass(minuteMs)
    expect(gateway.open).toEqual([gateway.connections[0]])
    expect([machine.socket.isConnected, machine.told]).toEqual([true, ['connected']])
    gateway.answers = 'open'
    await pass(minuteMs)
    expect(gateway.open).toEqual([gateway.connections.at(-1)])
    expect(machine.told).toEqual(['connected', 'connected'])
  })

  test('is renewed once, however often a renewal is requested meanwhile', async () => {
    const { socket } = openSocket()
    await pass(minuteMs)
    await Promise.all([socket.renew(), socket.renew(), pass(secondMs)])
    expect(gateway.connections).toHaveLength(2)
  })
})

describe('a connection that ends', () => {
  test('is reopened after pauses that double up to half a minute, which is logged once', async () => {
    gateway.answers = 'refused'
    const { lines, told } = openSocket()
    await pass(5 * minuteMs)
    const pauses = gateway.connections.slice(1).map(({ atMs }, i) => atMs - (gateway.connections[i]?.atMs ?? 0) - 50)
    expect(pauses.slice(0, 8)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    expect([lines.length, told]).toEqual([1, []])
    gateway.answers = 'open'
    await pass(minuteMs)
    expect(told).toEqual(['connected'])
  })

  test('makes the pauses short again if it had lasted', async () => {
    openSocket()
    for (let cut = 0; cut < 6; cut++) {
      await pass(20 * secondMs)
      gateway.open[0]?.end()
    }
    await pass(5 * secondMs)
    expect(gateway.open).toEqual([])
    await pass(2 * minuteMs)
    gateway.open[0]?.end()
    await pass(600)
    expect(gateway.open).toHaveLength(1)
  })

  test('without an answer is given up after ten seconds', async () => {
    gateway.answers = 'nothing'
    openSocket()
    await pass(10 * secondMs)
    expect(gateway.connections[0]?.readyState).toBe(Connection.CLOSED)
    gateway.answers = 'open'
    await pass(secondMs)
    expect(gateway.open).toHaveLength(1)
  })

  test('for good is not reopened', async () => {
    const { socket } = openSocket()
    await pass(secondMs)
    socket.close()
    await pass(5 * minuteMs)
    expect([gateway.connections.length, gateway.open.length, socket.isConnected]).toEqual([1, 0, false])
  })
})
