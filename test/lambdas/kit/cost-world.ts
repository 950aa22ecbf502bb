import { observe } from '../../../adapters/dynamo/client.ts'
import { areas } from '../../../lambdas/areas.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { counted } from '../../adapters/engine.ts'
import { until } from '../../until.ts'
import { openWorld, type Tenant, type TestRequest } from '../../world.ts'
import { answering, delta, sse, startUpstream, stop, streaming, usage, usageChunk } from '../llm/upstream.ts'

/** Every operation of the service: id, area, declaration. */
export const listed = areas.flatMap((area) =>
  area.operations.map((operation) => [operation.id, area.name, operation] as const),
)

/** Leaves a stream, and waits until its slot is free. */
async function leave(reading: AsyncIterator<Uint8Array>): Promise<void> {
  let given = false
  const unobserve = observe(({ operation }) => {
    given ||= operation === 'UpdateItem'
  })
  await reading.return?.()
  await until(() => given)
  unobserve()
}

/** All areas, with the store requests of each call. */
export async function openCostWorld() {
  const upstream = await startUpstream()
  const streamed = streaming([sse(delta('Hi')), sse(stop), sse(usageChunk(usage(50, 6))), sse('[DONE]')])
  const vectors = answering(200, { data: [{ embedding: [0.5] }], usage: { prompt_tokens: 50, total_tokens: 50 } })
  upstream.use((response, seen, times) => ('input' in seen.body ? vectors : streamed)(response, seen, times))
  const world = await openWorld({
    areas,
    clock: 'running',
    follows: false,
    // Every request reads the blocks itself, so no request saves another the read.
    replace: ({ denials }) => ({ denials: { ...denials, current: () => denials.current(0) } }),
  })
  const providers = { local: { kind: 'openai', baseUrl: upstream.url, apiKey: 'k' } }
  await world.cloud.cloud.putSecret('providers', JSON.stringify(providers))
  const handlers = new Map(areas.map((area) => [area.name, world.areaHandler(area)]))

  /** The response and its store requests; an endless stream is read up to its first event. */
  async function measure(areaName: string, operation: AnyOperation, sent: TestRequest) {
    let text = ''
    let left = async () => {}
    let endless = false
    const heard = world.socketApi?.heard() ?? 0
    const { result, calls } = await counted(async () => {
      const response = await handlers.get(areaName)?.({ operation, ...sent })
      if (!response) throw new Error(`there is no area ${areaName}`)
      const { body, headers, done } = response
      endless = operation.http.method === 'GET' && headers['Content-Type'] === 'text/event-stream'
      if (typeof body === 'string') text = body
      else {
        const reading = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]() // safe because both kinds of streams have it
        for (;;) {
          const { value, done: over } = await reading.next()
          if (over) break
          text += Buffer.from(value).toString()
          if (!endless || !text.includes('data: ')) continue
          left = () => leave(reading)
          // The stream has begun once its connection has requested past events.
          await until(() => (world.socketApi?.heard() ?? 0) > heard)
          return response
        }
      }
      await done
      return response
    })
    const before = world.socketApi?.ended()
    await left()
    // The cost of closing its connection must not count for the next request.
    if (endless) await until(() => (world.socketApi?.ended() ?? 0) > (before ?? 0))
    const units = calls
      .flatMap(({ capacity }) => capacity)
      .reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    // A transaction's parts may be mere checks, so it does not show the tables it wrote to.
    const written = calls
      .filter(({ operation: name }) => ['PutItem', 'UpdateItem', 'DeleteItem'].includes(name))
      .flatMap(({ capacity }) => capacity.map(({ TableName = '' }) => TableName))
    return { status: result.status, text, calls: calls.map(({ operation: name }) => name), units, written }
  }

  /** A token with a recently recorded use, like that of a running program. */
  async function usedBearer(...wanted: Parameters<typeof world.bearer>) {
    const made = await world.bearer(...wanted)
    await world.ports.tokens.authenticate(made.plaintext, world.clock.nowMs)
    return made
  }

  /** The headers that admit a tenant, or its machine, to an operation. */
  const admission = async (operation: AnyOperation, tenant: Tenant) =>
    operation.auth === 'llm' || operation.auth === 'files' || operation.auth === 'agent'
      ? world.machine(tenant, operation.auth)
      : operation.auth === 'pat'
        ? (await usedBearer(['api:llm'], tenant.userId)).headers
        : operation.auth === 'operator'
          ? (await world.operator()).headers
          : (await world.session(tenant.userId)).headers

  async function close() {
    await upstream.close()
    await world.close()
  }
  return { ...world, measure, admission, usedBearer, close }
}

export type CostWorld = Awaited<ReturnType<typeof openCostWorld>>
