/** Any result of JSON.parse, before validation. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty if the value is no object. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Empty if the value is no list. */
export const asList = (value: unknown): Json[] => (Array.isArray(value) ? value : [])

/** Accepts numbers and booleans, because templates may write these without quotes. */
export const asText = (value: unknown, fallback = ''): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : fallback
