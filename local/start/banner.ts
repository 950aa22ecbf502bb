/** The output of `npm start`: how to use the service, or its routes. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RestApi } from '../gateway/rest-api.ts'

/** One line per route: METHOD path → the file of its operation. An alias has its operation's id and a number. */
export function routeLines(repo: string, { stage, routes }: Pick<RestApi, 'stage' | 'routes'>): string[] {
  const sources = sourceFiles(repo)
  const sorted = routes.toSorted((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method))
  const width = Math.max(0, ...routes.map(({ path }) => path.length + stage.length + 1))
  return sorted.map(({ method, path, operation }) => {
    const source = sources.get(`${kebab(operation.replace(/-\d+$/, ''))}.ts`) ?? operation
    return `  ${method.padEnd(6)} ${`/${stage}${path}`.padEnd(width)}  ${source}`
  })
}

/** How to use the service, in less than ten lines. */
export function bannerLines({ url, providers }: { url: string; providers: string[] }): string[] {
  const bearer = `Authorization: Bearer $(npx node local/token.ts ${url})`
  return [
    '',
    `Open     ${url}`,
    `Sign in  with any e-mail address; its code is in the local inbox, ${url}/local/mail`,
    ...modelLines(providers.filter((name) => name !== 'local')),
    `curl     curl -s -H "${bearer}" ${url}/api/instance/status`,
    `MCP      claude mcp add --transport http berth ${url}/api/mcp-token --header "${bearer}"`,
    `More     ${url}/local lists the inbox, Stripe, the chat platforms and the data folder`,
  ]
}

const modelLines = (providers: string[]): string[] =>
  providers.length > 0
    ? [`Models   of ${providers.join(', ')}`]
    : [
        'Model    local/echo, a stand-in that repeats you. A real one: ANTHROPIC_API_KEY=… npm start',
        '         Or your own Ollama: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 npm start',
      ]

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
