import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type * as z from 'zod'

export type Item = Record<string, AttributeValue>

/** @throws TypeError for anything that JSON cannot express */
export function toAttribute(value: unknown): AttributeValue {
  if (value === null) return { NULL: true }
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'boolean') return { BOOL: value }
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) }
  if (Array.isArray(value)) return { L: value.map(toAttribute) }
  if (typeof value === 'object' && isPlain(value)) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
    return { M: Object.fromEntries(entries.map(([name, inner]) => [name, toAttribute(inner)])) }
  }
  throw new TypeError(`a ${typeof value} cannot be stored`)
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Null and undefined fields are left out, so that conditions can test whether they exist. */
export const toItem = (record: object): Item =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, toAttribute(value)]),
  )

export function fromAttribute(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return Number(value.N)
  if (value.BOOL !== undefined) return value.BOOL
  if (value.NULL !== undefined) return null
  if (value.L !== undefined) return value.L.map(fromAttribute)
  if (value.M !== undefined) return fromItem(value.M)
  throw new TypeError('an attribute of a kind this service never writes')
}

export const fromItem = (item: Item): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]))

/** Validates an item's fields. Attributes outside of the schema (counts, ttl, index keys) are dropped. */
export const parse = <T>(schema: z.ZodType<T>, item: Item): T => schema.parse(fromItem(item))
