import * as z from 'zod'
import type { AnyOperation, Auth } from './operation.ts'

const hasId = (schema: unknown): boolean => schema instanceof z.ZodObject && 'id' in schema.shape

const inPaths = (noun: string) => noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const isForPeople = (auth: Auth): boolean => auth === 'user' || auth === 'session'

/** The ids that an answer always holds: each id's noun, as in paths, and its JSON pointer. */
function idsIn({ http, output }: AnyOperation): { noun: string; pointer: string }[] {
  if (!(output instanceof z.ZodObject)) return []
  const own = http.path.split('/').findLast((part) => part && !part.includes('{')) ?? ''
  const fields = Object.entries<unknown>(output.shape).filter(([, field]) => hasId(field))
  const found = fields.map(([name]) => ({ noun: `${inPaths(name)}s`, pointer: `/${name}/id` }))
  return hasId(output) ? [...found, { noun: own, pointer: '/id' }] : found
}

/** The operations that an account can call next with the ids of an answer, derived from the paths that take them. */
export function linksFrom(operation: AnyOperation, all: readonly AnyOperation[]) {
  const links = idsIn(operation).flatMap(({ noun, pointer }) =>
    all
      .filter(
        ({ http, input, auth }) =>
          isForPeople(auth) && new RegExp(`/${noun}(/\\{id\\}|$)`).test(http.path) && 'id' in input.shape,
      )
      .map(({ id }) => [id, { operationId: id, parameters: { id: `$response.body#${pointer}` } }] as const),
  )
  const held = isForPeople(operation.auth) && operation.http.method !== 'DELETE'
  return held && links.length > 0 && !operation.http.stream ? { links: Object.fromEntries(links) } : {}
}
