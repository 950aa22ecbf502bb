/** Any result of JSON.parse, before validation. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Empty if the value is no object. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Empty if the value is no list. */
export function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}

/** Accepts numbers and booleans, because templates may write these without quotes. */
export function asText(value: unknown, fallback = ''): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? `${value}`
      : fallback
}
