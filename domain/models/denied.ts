import { invalid } from '../errors.ts'
import { isObject } from './json.ts'
import { opaque } from './request-content.ts'

/** Refuses a body with a field or type, at any depth, that an operator has closed. @throws validation naming it */
export function checkDenied(body: unknown, denied: ReadonlySet<string>, path = ''): void {
  const at = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`)
  if (Array.isArray(body)) for (const [index, item] of body.entries()) checkDenied(item, denied, at(index))
  if (!isObject(body)) return
  for (const [name, value] of Object.entries(body)) {
    const closed = denied.has(name) || (name === 'type' && typeof value === 'string' && denied.has(value))
    if (closed) throw invalid(at(name), 'This is closed for now: it cost more than is priced. Leave it out.')
    if (!opaque.has(name)) checkDenied(value, denied, at(name))
  }
}

/** The names of fields and types of tools that a call uses, for operators. */
export function namesIn(fields: Readonly<Record<string, unknown>>): string {
  const tools = Array.isArray(fields.tools) ? fields.tools : []
  const types = tools.map((tool) => (isObject(tool) ? tool.type : null)).filter((type) => typeof type === 'string')
  const names = [...new Set([...Object.keys(fields), ...types])].filter((name) => /^[\w.-]{1,60}$/.test(name))
  return names.slice(0, 40).join(' ')
}
