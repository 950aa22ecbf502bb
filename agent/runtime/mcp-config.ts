import { ToolError } from './tool.ts'

export interface ServerConfig {
  command?: string
  args: string[]
  env: Record<string, string>
  url?: string
  headers: Record<string, string>
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws ToolError that describes the fault without any value */
export function readConfig(config: unknown, variables: Readonly<Record<string, string>>): ServerConfig {
  if (!isRecord(config)) throw new ToolError('it is no object')
  const { command, url, type, args = [], env = {}, headers = {} } = config
  const text = (value: unknown, name: string): string => {
    if (typeof value !== 'string') throw new ToolError(`"${name}" is not a text`)
    return expand(value, variables)
  }
  const texts = (value: unknown, name: string): Record<string, string> => {
    if (!isRecord(value)) throw new ToolError(`"${name}" is no object`)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, text(each, `${name}.${key}`)]))
  }
  if (type === 'sse') throw new ToolError('the transport "sse" is not spoken, only stdio and Streamable HTTP')
  if (!Array.isArray(args)) throw new ToolError('"args" is not a list')
  if ((command === undefined) === (url === undefined)) throw new ToolError('name either a "command" or a "url"')
  return {
    ...(command !== undefined && { command: text(command, 'command') }),
    ...(url !== undefined && { url: text(url, 'url') }),
    args: args.map((each) => text(each, 'args')),
    env: texts(env, 'env'),
    headers: texts(headers, 'headers'),
  }
}

/** Replaces `${NAME}` and `${NAME:-otherwise}` by the user's variables. */
const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : otherwise
    if (value === undefined) throw new ToolError(`the variable ${name} is not set`)
    return value
  })
