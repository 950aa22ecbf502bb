import { inFolder, type Source, sources, topOf } from './sources.ts'

const folders = ['bin', 'lib', 'domain', 'lambdas', 'adapters', 'agent', 'dashboard', 'local', 'bench', 'test']
const isOurs = (from: string) => folders.includes(topOf(from))

/** What each room may import of our own; a file name after a folder allows just those files. */
const allowed: Record<string, RegExp> = {
  domain: /^domain\//,
  adapters: /^(domain|adapters)\//,
  lambdas: /^(domain|lambdas)\//,
  lib: /^(domain|lambdas|lib)\//,
  // An operator's command works on the stores themselves, and starts the local one when it is not running.
  bin: /^(domain|lambdas|lib|bin|adapters\/dynamo)\/|^adapters\/env\.ts$|^local\/engine\.ts$/,
  agent: /^(domain|agent)\//,
  dashboard: /^(domain|dashboard)\//,
  local: /^(domain|lambdas|lib|local)\//,
}

const wrong = (files: Source[], may: RegExp) =>
  files.flatMap(({ path, imports }) =>
    imports.filter(({ from }) => isOurs(from) && !may.test(from)).map(({ from }) => `${path} → ${from}`),
  )

describe('arrows between folders', () => {
  test.each(Object.entries(allowed))('%s imports only what it may', (folder, may) => {
    const files = inFolder(folder).filter(({ path }) => !/^lambdas\/[\w-]+\/handler\.ts$/.test(path))
    expect(files.length).toBeGreaterThan(0)
    expect(wrong(files, may)).toEqual([])
  })

  test('a handler imports its adapters, its area and serve, and nothing else', () => {
    const handlers = sources.filter(({ path }) => /^lambdas\/[\w-]+\/handler\.ts$/.test(path))
    expect(handlers.length).toBeGreaterThan(5)
    expect(
      wrong(handlers, /^(adapters\/|lambdas\/kit\/(serve|react|hub)\.ts|lambdas\/[\w-]+\/(index|access)\.ts)/),
    ).toEqual([])
  })

  test('domain imports zod and itself', () => {
    const others = inFolder('domain').flatMap(({ path, imports }) =>
      imports.filter(({ from }) => !isOurs(from) && from !== 'zod').map(({ from }) => `${path} → ${from}`),
    )
    expect(others).toEqual([])
  })

  test('an operation file imports the domain, the kit’s plain parts, its own folder and zod', () => {
    const files = inFolder('lambdas').filter(
      ({ path }) => !/^lambdas\/(kit\/|areas\.ts)|(handler|index|access)\.ts$/.test(path),
    )
    const found = files.flatMap(({ path, imports }) => {
      const own = path.slice(0, path.lastIndexOf('/') + 1)
      const may = (from: string) =>
        from === 'zod' ||
        from.startsWith('domain/') ||
        from.startsWith(own) ||
        /^lambdas\/kit\/(operation|sse|input)\.ts$/.test(from)
      return imports.filter(({ from }) => !may(from)).map(({ from }) => `${path} → ${from}`)
    })
    // The MCP tools are other areas' operations, so this file reads their lists.
    expect(found.filter((one) => !one.startsWith('lambdas/mcp/tools.ts → lambdas/'))).toEqual([])
  })
})

describe('vendors', () => {
  const sdk =
    /^(@aws-sdk\/|@simplewebauthn\/server|stripe$|@modelcontextprotocol\/server|@pydantic\/genai-prices|openai$|@anthropic-ai\/)/

  // A proof looks at what an adapter did through the vendor's own eyes.
  // lib/prices.ts makes a committed file out of the vendor's price list; nothing that runs imports it.
  const others = ['local/dynamo.ts', 'lib/prices.ts']

  test('SDKs are imported in adapters/ only', () => {
    const found = sources
      .filter(({ path }) => !/^(adapters|test|bench\/prove|local\/stripe)\//.test(path) && !others.includes(path))
      .flatMap(({ path, imports }) =>
        imports.filter(({ from }) => sdk.test(from)).map(({ from }) => `${path} → ${from}`),
      )
    expect(found).toEqual([])
  })

  test('process.env is read in adapters/env.ts only, beside the programs that are started by hand', () => {
    const programs = /^(local|bin|lib\/stage|agent|test|bench|dashboard\/vite)/
    const found = sources.filter(
      ({ path, text }) => !programs.test(path) && path !== 'adapters/env.ts' && text.includes('process.env'),
    )
    expect(found.map(({ path }) => path)).toEqual([])
  })
})
