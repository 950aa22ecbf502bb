/** Any result of JSON.parse, before validation. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Narrow to an object that is neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object at this place, or an empty one. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The list at this place, or an empty one. */
export function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}

/** The text at this place; templates write numbers and booleans as either type. */
export function asText(value: unknown, fallback = ''): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? `${value}`
      : fallback
}
