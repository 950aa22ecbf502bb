import * as z from 'zod'
import type { AnyOperation } from './operation.ts'

const hasId = (schema: unknown): boolean => schema instanceof z.ZodObject && 'id' in schema.shape

const inPaths = (noun: string) => noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The ids that an answer holds: the noun of each as paths have it, and where it stands. */
function idsIn({ http, output }: AnyOperation): { noun: string; pointer: string }[] {
  if (!(output instanceof z.ZodObject)) return []
  const fields = Object.entries<unknown>(output.shape).flatMap(([name, field]) => {
    if (hasId(field)) return [{ noun: `${inPaths(name)}s`, pointer: `/${name}/id` }]
    const listed = field instanceof z.ZodArray && hasId(field.element)
    return listed ? [{ noun: inPaths(name), pointer: `/${name}/0/id` }] : []
  })
  const own = http.path.split('/').findLast((part) => part && !part.includes('{')) ?? ''
  return hasId(output) ? [...fields, { noun: own, pointer: '/id' }] : fields
}

/** What an account can do next with the ids of an answer, derived from the addresses that take them. */
export function linksFrom(operation: AnyOperation, all: readonly AnyOperation[]) {
  const links = idsIn(operation).flatMap(({ noun, pointer }) =>
    all
      .filter(({ http, input }) => new RegExp(`/${noun}(/\\{id\\}|$)`).test(http.path) && 'id' in input.shape)
      .map(({ id }) => [id, { operationId: id, parameters: { id: `$response.body#${pointer}` } }] as const),
  )
  const held = ['user', 'session'].includes(operation.auth) && operation.http.method !== 'DELETE'
  return held && links.length > 0 && !operation.http.stream ? { links: Object.fromEntries(links) } : {}
}
