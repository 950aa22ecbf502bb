import * as z from 'zod'
import { findById } from '../../kit/records.ts'
import { listOf, type Metadata } from '../records.ts'
import { missing, StripeError } from './error.ts'

/** One call of the API: `method path` with `{id}`, and what it does with its parameters. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  run: (input: unknown, id: string) => object
}

// Parameters that many calls share.
export const expand = z.array(z.string()).max(20).default([])
export const nothing = z.strictObject({ expand })
export const text = z.string().optional()
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((pairs) => Object.keys(pairs).length <= 50, 'has at most 50 keys')
  // An empty value is how a key is taken away.
  .transform((pairs) => Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== '')))
/** For an update: an empty value takes a key away. */
export const metadataChanges = z.record(z.string().max(40), z.string().max(500)).optional()

export const same = (filter: unknown, actual: unknown) => filter === undefined || filter === actual

export function retrieve<T extends object>(path: string, noun: string, all: Record<string, T>): Route {
  return {
    method: 'GET',
    path: `${path}/{id}`,
    run(input, id) {
      read(nothing, input)
      return get(all, noun, id)
    },
  }
}

/** Newest first; `keep` decides by the parameters that `filters` names. */
export function list<T extends { id: string }, F extends z.ZodRawShape>(
  path: string,
  all: Record<string, T>,
  filters: F,
  keep: (record: T, input: z.infer<z.ZodObject<F>>) => boolean,
): Route {
  const filter = z.object(filters)
  const schema = z.strictObject({
    ...filters,
    expand,
    limit: z.coerce.number().int().min(1).max(100).default(10),
    starting_after: z.string().optional(),
  })
  const paging = z.object({ limit: z.number(), starting_after: z.string().optional() })
  return {
    method: 'GET',
    path,
    run(input) {
      const { limit, starting_after } = paging.parse(read(schema, input))
      const asked = read(filter, input)
      const wanted = Object.values(all)
        .reverse()
        .filter((record) => keep(record, asked))
      const start = starting_after ? wanted.findIndex(({ id }) => id === starting_after) + 1 : 0
      return listOf(wanted.slice(start, start + limit), path, start + limit < wanted.length)
    },
  }
}

export function get<T>(all: Record<string, T>, noun: string, id: string): T {
  const found = findById(all, id)
  if (!found) throw missing(noun, id)
  return found
}

export function read<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const inner = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const [first, ...rest] = [...(issue?.path ?? []), ...inner].map(String)
  const param = `${first ?? ''}${rest.map((part) => `[${part}]`).join('')}`
  if (issue?.code === 'unrecognized_keys')
    throw new StripeError(400, `Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  const absent =
    issue?.code === 'invalid_type' && issue.input === undefined && !/received (?!undefined)/.test(issue.message)
  throw absent
    ? new StripeError(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param })
    : new StripeError(400, `Invalid ${param}: ${issue?.message}`, { param })
}

export const without = (request: object) =>
  Object.fromEntries(Object.entries(request).filter(([name, inner]) => name !== 'expand' && inner !== undefined))

export function merge(before: Metadata, change: Metadata | undefined): Metadata {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, inner]) => inner !== ''))
}
