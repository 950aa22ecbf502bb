/** The output of `npm start`: the routes and how to use the service. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '../gateway/rest-api.ts'

/** One line per route: METHOD path → the file of its operation. An alias has its operation's id and a number. */
export function routeLines(repo: string, stage: string, routes: Route[]): string[] {
  const sources = sourceFiles(repo)
  const sorted = routes.toSorted((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method))
  const width = Math.max(0, ...routes.map(({ path }) => path.length + stage.length + 1))
  return sorted.map(({ method, path, operation }) => {
    const source = sources.get(`${kebab(operation.replace(/-\d+$/, ''))}.ts`) ?? operation
    return `  ${method.padEnd(6)} ${`/${stage}${path}`.padEnd(width)}  ${source}`
  })
}

export function usageLines(url: string, email: string): string[] {
  const bearer = `Authorization: Bearer $(npx node local/token.ts ${url})`
  return [
    `Open     ${url}`,
    `Sign in  with any address, such as ${email}; its code is at ${url}/local/mail?to=${email}`,
    `Chat     ${url}/local/telegram, /local/slack or /local/discord, as people do there`,
    `curl     curl -s -H "${bearer}" ${url}/api/instance/status`,
    `MCP      claude mcp add --transport http berth ${url}/api/mcp-token --header "${bearer}"`,
  ]
}

function sourceFiles(repo: string): Map<string, string> {
  const root = join(repo, 'lambdas')
  if (!existsSync(root)) return new Map()
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'kit',
  )
  const files = folders.flatMap(({ name }) =>
    readdirSync(join(root, name)).map((file) => [file, `lambdas/${name}/${file}`] as const),
  )
  return new Map(files)
}

/** `getInstanceStatus` → `get-instance-status`. */
const kebab = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
