import { type CostWorld, listed, openCostWorld } from './cost-world.ts'
import { keepPoint } from './kept-point.ts'
import { aboutUser, type Given, point, requests } from './requests.ts'

// A client that cuts text inside a character sends half of it. Public reports of services and machines that failed on
// half a character: https://github.com/zai-org/feedback/issues/431,
// https://github.com/anthropics/claude-code/issues/68325
const marks = { 'a first half': '\ud83d', 'a second half': '\ude00', 'the character NUL': '\0' }

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** Copies of a value, each with a mark in one of its texts or names. */
function* marked(value: unknown, mark: string): Generator<unknown> {
  if (typeof value === 'string') yield `${value} ${mark}`
  else if (Array.isArray(value))
    for (const [at, item] of value.entries()) for (const other of marked(item, mark)) yield value.with(at, other)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value))
      for (const other of marked(item, mark)) yield { ...value, [name]: other }
    yield { ...value, [`a name ${mark}`]: 'x' }
  }
}

/** Possible request bodies, each with a mark in one place; fields missing in the given body are sent as texts. */
function* bodies(shape: object, { body = {}, parameters = {} }: Given, mark: string): Generator<unknown> {
  yield* marked(body, mark)
  for (const name of Object.keys(shape))
    if (!(name in body) && !(name in parameters)) yield { ...body, [name]: `cut ${mark}` }
}

async function statusesOf(areaName: string, operation: (typeof listed)[number][2], given: Given, mark: string) {
  const tenant = await world.tenant({ state: given.paused ? 'paused' : 'running', deadlineMs: world.clock.nowMs })
  if (areaName === 'files') await keepPoint(world, tenant, point)
  const about = aboutUser(operation, tenant, given)
  const headers = { ...(await world.admission(operation, tenant)), ...about.headers }
  const send = async (more: object) => {
    const { status, text } = await world.measure(areaName, operation, { ...about, headers, ...more })
    return { status, text, sent: JSON.stringify(more) }
  }
  const answers = [await send({})]
  if (operation.http.method === 'GET' || operation.http.method === 'DELETE')
    for (const query of bodies(operation.input.shape, { body: about.query, parameters: about.parameters }, mark))
      answers.push(await send({ query }))
  else for (const body of bodies(operation.input.shape, about, mark)) answers.push(await send({ body }))
  return answers
}

const endless = new Set(['streamEvents', 'mcpEventStream'])

describe.each(Object.entries(marks))('%s in any text of a request is not a service error', (_, mark) => {
  test.each(listed.filter(([id]) => !endless.has(id)))('%s', async (id, areaName, operation) => {
    const [usual, ...answers] = await statusesOf(areaName, operation, requests[id] ?? {}, mark)
    // Without its vendor, an operation returns 502 for every request.
    const failed = answers.filter(({ status }) => status >= 500 && status !== usual?.status)
    expect(failed).toEqual([])
  })
})
