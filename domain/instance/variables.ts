import * as z from 'zod'
import { invalid } from '../errors.ts'
import { timestamp } from '../timestamp.ts'

/** Number of variables, longest value, and all names and values together; bytes of UTF-8. */
export const maxVariables = 64
const maxValueBytes = 8 * 1024
const maxVariablesBytes = 64 * 1024

/** Names that would change what the machine itself runs on. */
const reserved = /^(BERTH_|AWS_|ECS_|LD_|NODE_|PATH$|HOME$|(OPENAI|ANTHROPIC)_(BASE_URL|API_KEY)$)/

/** The value is never given back. */
export const variable = z
  .object({
    name: z.string().meta({ example: 'GITHUB_TOKEN' }),
    size: z.int().meta({ description: 'The length of the value, in bytes.' }),
    updatedAt: timestamp,
  })
  .meta({ id: 'Variable' })
export type Variable = z.infer<typeof variable>

/** Null removes a variable; variables without a name here stay. */
export const variableChanges = z.record(z.string(), z.string().nullable())
export type VariableChanges = z.infer<typeof variableChanges>

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** Ordered by name. @throws validation that names the variable */
export function changeVariables(present: Variable[], changes: VariableChanges, at: string): Variable[] {
  const next = new Map(present.map((variable) => [variable.name, variable]))
  for (const [name, value] of Object.entries(changes)) {
    checkName(name)
    if (value === null) next.delete(name)
    else next.set(name, { name, size: checkedSize(name, value), updatedAt: at })
  }
  const all = [...next.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  if (all.length > maxVariables) throw invalid('variables', `at most ${maxVariables}; remove some first.`)
  const total = all.reduce((sum, { name, size }) => sum + bytes(name) + size, 0)
  if (total > maxVariablesBytes) throw invalid('variables', `at most ${maxVariablesBytes} bytes together.`)
  return all
}

export function namesThatCameOrWent(before: readonly Variable[], after: readonly Variable[]): string[] {
  const missing = (from: readonly Variable[], list: readonly Variable[]) =>
    list.flatMap(({ name }) => (from.some((variable) => variable.name === name) ? [] : name))
  return [...missing(before, after), ...missing(after, before)]
}

function checkName(name: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))
    throw invalid('variables', 'a name is 1 to 64 letters, digits and underscores, and does not begin with a digit.')
  if (reserved.test(name.toUpperCase())) throw invalid(name, 'this name is reserved for the machine itself.')
}

function checkedSize(name: string, value: string): number {
  if (value.includes('\0')) throw invalid(name, 'a value cannot hold the character NUL.')
  const size = bytes(value)
  if (size > maxValueBytes) throw invalid(name, `at most ${maxValueBytes} bytes; this has ${size}.`)
  return size
}
