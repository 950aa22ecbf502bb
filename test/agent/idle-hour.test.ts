import { full, most } from '../counts.ts'
import { Bench, until } from './machine.ts'

/** An hour in this many milliseconds: tokens, reports and connections are shortened by the same factor. */
const hourMs = most(60_000, 40_000)

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const whenFull = full ? it : it.skip
whenFull(
  'an idle machine makes nine requests an hour at most, its connections included',
  async () => {
    const { server } = bench
    server.tokenMs = hourMs
    const start = Date.now()
    bench.start({ BERTH_TOKEN_SECONDS: String(hourMs / 1000), BERTH_REPORT_SECONDS: String(hourMs / 3 / 1000) })
    await until(() => server.connections === 1, 'the connection')
    const prompt = server.say('Good morning.')
    await until(() => prompt.closed.length > 0)
    await until(() => server.seen.at(-1)?.path === '/agent/prompt', 'the poll that finds nothing')
    const seen: { what: string; atMs: number }[] = []
    const counts = () => ({
      calls: server.seen.length,
      connects: server.handshakes.length,
      disconnects: server.disconnects,
    })
    let before = counts()
    // Two hours, in which each kind of request occurs at least once.
    await until(
      async () => {
        const now = counts()
        const what = [
          ...server.seen.slice(before.calls).map(({ path, body }) => `${path} ${body.kind ?? ''}`.trim()),
          ...Array.from({ length: now.connects - before.connects }, () => '$connect'),
          ...Array.from({ length: now.disconnects - before.disconnects }, () => '$disconnect'),
        ]
        before = now
        seen.push(...what.map((each) => ({ what: each, atMs: Date.now() })))
        return Date.now() - start > 2.2 * hourMs
      },
      'the end of the second hour',
      3 * hourMs,
    )
    expect(new Set(seen.map(({ what }) => what))).toEqual(
      new Set(['/agent/observe heartbeat', '/agent/files', '/llm/proxy/v1/models', '$connect', '$disconnect']),
    )
    // The busiest hour, wherever it begins.
    const worst = Math.max(
      ...seen.map(({ atMs }) => seen.filter((each) => each.atMs >= atMs && each.atMs < atMs + hourMs).length),
    )
    expect(worst).toBeLessThanOrEqual(9)
    expect(server.connections).toBe(1)
  },
  400_000,
)
