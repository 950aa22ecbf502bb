import { inFolder, type Source, sources, topOf } from './sources.ts'

const folders = [
  'bin',
  'lib',
  'stages',
  'domain',
  'app',
  'lambdas',
  'adapters',
  'agent',
  'gateway',
  'dashboard',
  'local',
  'emulators',
  'bench',
  'proofs',
  'test',
  'clients',
  'examples',
]
const isOurs = (from: string) => folders.includes(topOf(from))

/** The folders of the project that each folder may import; a file name after a folder allows just those files. */
const allowed: Record<string, RegExp> = {
  domain: /^domain\//,
  app: /^(domain|app)\//,
  adapters: /^(domain|app|adapters)\//,
  lambdas: /^(domain|app|lambdas)\/|^adapters\/ports\.ts$/,
  // The names of tables, secrets and variables, and the adapter of each port.
  lib: /^(domain|app|lambdas|lib)\/|^adapters\/(ports|registry|dynamo\/tables)\.ts$/,
  // Data with its type.
  stages: /^lib\/stage\.ts$/,
  // An operator's command uses the stores directly, starts the local store when it is not running, and reads a secret
  // as the service does.
  bin: /^(domain|app|lambdas|lib|bin|adapters\/(dynamo|slack|discord))\/|^adapters\/(env|registry|aws\/(secrets|deployment\/[\w-]+|dead-letter-queues|edge-key-places|put-back|storage)|stripe\/operator|models\/(upstream|providers-file|try-key)|telegram\/(bot-api|secret))\.ts$|^local\/dynamodb\/engine\.ts$/,
  agent: /^(domain|agent)\//,
  // Its image holds no other folder of the project.
  gateway: /^gateway\//,
  dashboard: /^(domain|dashboard|clients)\//,
  // The published client is self-contained.
  clients: /^clients\//,
  // A program that somebody copies has one file.
  examples: /^$/,
  // An emulator is a package for other projects too.
  emulators: /^emulators\//,
  // `npm start` reads a providers file as the operator's check does.
  local: /^(domain|lambdas|lib|local|emulators)\/|^adapters\/models\/providers-file\.ts$/,
}

const wrong = (files: Source[], may: RegExp) =>
  files.flatMap(({ path, imports }) =>
    imports.filter(({ from }) => isOurs(from) && !may.test(from)).map(({ from }) => `${path} → ${from}`),
  )

describe('imports between folders', () => {
  test.each(Object.entries(allowed))('%s imports only the folders that its rule allows', (folder, may) => {
    const files = inFolder(folder)
    expect(files.length).toBeGreaterThan(0)
    expect(wrong(files, may)).toEqual([])
  })

  test('domain imports only zod and itself, and its Markdown the package that parses it', () => {
    const others = inFolder('domain').flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => !isOurs(from) && from !== 'zod')
        .filter(({ from }) => !(from === 'marked' && path.startsWith('domain/markdown/')))
        .map(({ from }) => `${path} → ${from}`),
    )
    expect(others).toEqual([])
  })

  test('the browser loads no schema: zod compiles code, which the pages forbid, and is larger than all of them', () => {
    const loads = (path: string): string[] => {
      const own = sources.find((source) => source.path === path)
      return (own?.imports ?? []).filter(({ typeOnly }) => !typeOnly).map(({ from }) => from)
    }
    const seen = new Set(inFolder('dashboard').map(({ path }) => path))
    for (const path of seen) for (const from of loads(path)) seen.add(from)
    expect([...seen].filter((path) => loads(path).includes('zod'))).toEqual([])
  })

  test('domain contains no await and no port', () => {
    const found = inFolder('domain').filter(({ text }) =>
      /\b(async|await|Promise|AsyncIterable|AsyncGenerator)\b/.test(code(text)),
    )
    expect(found.map(({ path }) => path)).toEqual([])
  })

  test('app imports no package but zod, and croner in the one file that reads cron lines', () => {
    const may = (path: string, from: string) =>
      isOurs(from) || from === 'zod' || (from === 'croner' && path === 'app/instance/cron.ts')
    const others = inFolder('app').flatMap(({ path, imports }) =>
      imports.filter(({ from }) => !may(path, from)).map(({ from }) => `${path} → ${from}`),
    )
    expect(others).toEqual([])
  })

  test('an operation file imports only the domain, the use cases, the kit’s plain parts, its own folder and zod', () => {
    const files = inFolder('lambdas').filter(({ path }) => !/^lambdas\/(kit\/|areas\.ts)|index\.ts$/.test(path))
    const found = files.flatMap(({ path, imports }) => {
      const own = path.slice(0, path.lastIndexOf('/') + 1)
      const may = (from: string) =>
        from === 'zod' ||
        /^(domain|app)\//.test(from) ||
        from.startsWith(own) ||
        /^lambdas\/kit\/(operation|job|sse|stream-lease|input|accept)\.ts$/.test(from)
      return imports.filter(({ from }) => !may(from)).map(({ from }) => `${path} → ${from}`)
    })
    // MCP resources are read by the operations of other areas.
    expect(found.filter((arrow) => !/^lambdas\/mcp\/features\.ts → lambdas\/\w+\/get-[\w-]+\.ts$/.test(arrow))).toEqual(
      [],
    )
  })

  test('only types pass from adapters/ to lambdas/, and only to the kit', () => {
    const found = inFolder('lambdas').flatMap(({ path, imports }) =>
      imports
        .filter(({ from, typeOnly }) => topOf(from) === 'adapters' && !(typeOnly && path.startsWith('lambdas/kit/')))
        .map(({ from }) => `${path} → ${from}`),
    )
    expect(found).toEqual([])
  })

  test('files do not import each other in circles, type imports included', () => {
    expect(circles(sources)).toEqual([])
  })

  test('folders of app/ do not import each other in circles, and ports import only ports', () => {
    const folderOf = (path: string) => path.split('/').slice(0, 2).join('/')
    const folders = Map.groupBy(inFolder('app'), ({ path }) => folderOf(path))
    const merged = [...folders].map(([path, files]) => ({
      path,
      imports: files.flatMap(({ imports }) => imports.map(({ from }) => ({ from: folderOf(from) }))),
    }))
    expect(circles(merged)).toEqual([])
    const ports = merged.find(({ path }) => path === 'app/ports')?.imports ?? []
    expect(ports.filter(({ from }) => topOf(from) === 'app' && from !== 'app/ports')).toEqual([])
  })
})

/** The source text without its comments and strings. */
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'|`[^`]*`/gm, '')

/** Groups of files that all reach each other by imports, smallest group first. */
function circles(nodes: readonly { path: string; imports: readonly { from: string }[] }[]): string[] {
  const files = new Map(nodes.map(({ path, imports }) => [path, imports.map(({ from }) => from)]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (path: string) => {
    order.set(path, order.size)
    lowest.set(path, order.size - 1)
    stack.push(path)
    for (const next of files.get(path) ?? []) {
      if (!files.has(next)) continue
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(next) ?? 0))
    }
    if (lowest.get(path) !== order.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) found.push(group)
  }
  for (const path of files.keys()) if (!order.has(path)) visit(path)
  return found.map((group) => group.sort().join(' ↔ ')).sort((a, b) => a.length - b.length)
}

describe('vendors', () => {
  const sdk =
    /^(@aws-sdk\/|@simplewebauthn\/server|stripe$|@modelcontextprotocol\/server|@slack\/|@pydantic\/genai-prices|openai$|@anthropic-ai\/)/

  // A proof checks an adapter's effect with the vendor's own SDK.
  // lib/build/prices.ts writes a committed file from the vendor's price list; no deployed code imports it.
  const others = ['lib/build/prices.ts']

  test('SDKs are imported in adapters/ only', () => {
    const found = sources
      .filter(({ path }) => !/^(adapters|test|proofs|emulators)\//.test(path) && !others.includes(path))
      .flatMap(({ path, imports }) =>
        imports.filter(({ from }) => sdk.test(from)).map(({ from }) => `${path} → ${from}`),
      )
    expect(found).toEqual([])
  })

  test('process.env is read only in adapters/env.ts and in the programs that people start by hand', () => {
    const programs =
      /^(local|bin|stages\/local|agent|gateway\/main|test|emulators\/\w+\/test|bench|proofs|examples|dashboard\/vite)/
    const found = sources.filter(
      ({ path, text }) => !programs.test(path) && path !== 'adapters/env.ts' && text.includes('process.env'),
    )
    expect(found.map(({ path }) => path)).toEqual([])
  })
})
