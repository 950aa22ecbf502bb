/** EventBridge event patterns. */

import type { Json, JsonObject } from '../template/json.ts'
import { asList, asText, isObject } from '../template/json.ts'

/** @throws for an unknown matcher, because an event that silently matches nothing is worse */
export function matches(pattern: JsonObject, event: JsonObject): boolean {
  return Object.entries(pattern).every(([key, wanted]) => {
    if (key === '$or') return asList(wanted).some((branch) => isObject(branch) && matches(branch, event))
    const value = event[key]
    if (isObject(wanted)) return matches(wanted, isObject(value) ? value : {})
    // A list in the event matches if any of its values does.
    const values = value === undefined ? [undefined] : Array.isArray(value) ? value : [value]
    return asList(wanted).some((matcher) => values.some((item) => matchesValue(matcher, item)))
  })
}

/** @throws for a matcher that `matches` does not know */
export function checkPattern(pattern: JsonObject): void {
  for (const wanted of Object.values(pattern)) {
    if (isObject(wanted)) checkPattern(wanted)
    else for (const matcher of asList(wanted)) matchesValue(matcher, undefined)
  }
}

function matchesValue(matcher: Json, value: Json | undefined): boolean {
  if (!isObject(matcher)) return matcher === value
  const [name = '', argument = null] = Object.entries(matcher)[0] ?? []
  const run = matchers[name]
  if (!run) throw new Error(`The event pattern matcher "${name}" is not known here: add it to local/events/pattern.ts`)
  return run(argument, value)
}

const matchers: Record<string, (argument: Json, value: Json | undefined) => boolean> = {
  // EventBridge ignores fields with an object; only their own fields count.
  exists: (argument, value) => (value !== undefined && !isObject(value)) === argument,
  prefix: (argument, value) => typeof value === 'string' && value.startsWith(asText(argument)),
  suffix: (argument, value) => typeof value === 'string' && value.endsWith(asText(argument)),
  'equals-ignore-case': (argument, value) =>
    typeof value === 'string' && value.toLowerCase() === asText(argument).toLowerCase(),
  'anything-but': (argument, value) => {
    if (value === undefined) return false
    const refused = Array.isArray(argument) ? argument : [argument]
    return !refused.some((matcher) => matchesValue(matcher, value))
  },
  numeric: (argument, value) => typeof value === 'number' && inRange(asList(argument), value),
}

/** `[">", 0, "<=", 5]`: pairs of comparison and number; all must hold. */
function inRange(pairs: Json[], value: number): boolean {
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const compare = comparisons[asText(pairs[i])]
    if (!compare?.(value, Number(pairs[i + 1]))) return false
  }
  return pairs.length > 0
}

const comparisons: Record<string, (a: number, b: number) => boolean> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}
