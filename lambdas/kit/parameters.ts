import type * as z from 'zod'
import type { AnyOperation } from './operation.ts'

/** Names in `{braces}` of the path. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map((found) => found[1] ?? '')

/** Whether the input outside of the path is in the query. */
export const inputInQuery = (operation: AnyOperation): boolean =>
  operation.http.method === 'GET' || operation.http.method === 'DELETE' || operation.http.rawBody === true

const required = new WeakMap<AnyOperation, string[]>()

/** Path and query parameters without which there is no request: their absence is `missing-id`. */
export function requiredParameters(operation: AnyOperation): string[] {
  const names = required.get(operation) ?? namesRequired(operation)
  required.set(operation, names)
  return names
}

function namesRequired(operation: AnyOperation): string[] {
  const inPath = pathParameters(operation.http.path)
  if (!inputInQuery(operation)) return inPath
  const shape: Record<string, z.ZodType> = operation.input.shape
  return Object.keys(shape).filter((name) => inPath.includes(name) || !shape[name]?.safeParse(undefined).success)
}
