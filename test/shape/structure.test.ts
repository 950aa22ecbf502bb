import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { registry, variables } from '../../adapters/registry.ts'
import { areas, operations } from '../../lambdas/areas.ts'
import { folderOf } from '../../lambdas/kit/area.ts'
import type { AnyOperation } from '../../lambdas/kit/operation.ts'
import { pathParameters } from '../../lambdas/kit/parameters.ts'
import { inFolder, sources } from './sources.ts'

const kebab = (id: string) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const root = join(import.meta.dirname, '../..')

describe('files', () => {
  test('are at most three levels deep, and in folders with telling names', () => {
    const paths = sources.map(({ path }) => path)
    expect(paths.filter((path) => path.split('/').length > (path.startsWith('test/') ? 5 : 4))).toEqual([])
    expect(paths.filter((path) => /(^|\/)(src|shared|common|utils|helpers|services|managers)\//.test(path))).toEqual([])
  })

  test('contain no skipped test and no to-do', () => {
    const marks = /\b(TODO|FIXME|XXX)\b|\.(skip|only)\(|@ts-(ignore|expect-error)/
    const found = sources.filter(({ path, text }) => path !== 'test/shape/structure.test.ts' && marks.test(text))
    expect(found.map(({ path }) => path)).toEqual([])
  })
})

describe('exports', () => {
  /** Packages for others, modules that generated code or a JavaScript file imports, and texts of generated code. */
  const forOthers =
    /\.d\.ts$|^(clients\/|emulators\/\w+\/emulator|adapters\/connect|agent\/volume\/edit|test\/jest\/tiers|bin\/client|lib\/build\/prices)/

  test('are each imported by another file, named by the registry, or named by the page of limits', () => {
    const imports = sources.flatMap(({ imports }) => imports)
    const whole = new Set(imports.flatMap(({ from, names }) => (names ? [] : [from])))
    const named = new Set(imports.flatMap(({ from, names }) => (names ?? []).map((name) => `${from} ${name}`)))
    for (const [port, { module }] of Object.entries(registry)) named.add(`${join('adapters', module)} ${port}`)
    const limits = readFileSync(join(root, 'docs/limits.md'), 'utf8')
    for (const [, name, file] of limits.matchAll(/`(\w+)[^`]*` in `([^`]+)`/g)) named.add(`${file} ${name}`)
    const declared = /^export (?:declare |async |abstract )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
    const unused = sources
      .filter(({ path }) => !forOthers.test(path) && !whole.has(path))
      .flatMap(({ path, text }) => [...text.matchAll(declared)].map(([, name]) => `${path} ${name}`))
      .filter((exported) => !named.has(exported))
    expect(unused).toEqual([])
  })
})

describe('transactions', () => {
  test('are visible: a verb of a port that accepts parts says whether it wrote', () => {
    const ports = inFolder('app').filter(({ path }) => /(^|\/)ports(\/[\w-]+)?\.ts$/.test(path))
    const accepting = ports.flatMap(({ text }) => [...text.matchAll(/\.\.\.also: Part\[\],?\s*\): (.*)/g)])
    expect(accepting.length).toBeGreaterThan(50)
    expect(accepting.map(([, answer]) => answer).filter((answer) => answer === 'Promise<void>')).toEqual([])
  })

  test('do not lose their follow-ups: a file that makes an outbox with follow-ups flushes it', () => {
    const makes = /\boutboxOf\(|\boutboxFor\([\w.]+(\([^()]*\))?, |auditedOutbox\(deps, \w+, \[\w+\], /
    const making = [...inFolder('app'), ...inFolder('lambdas')].filter(
      ({ path, text }) => path !== 'app/outbox/outbox.ts' && makes.test(text.replace(/^import .*$/gm, '')),
    )
    expect(making.length).toBeGreaterThan(20)
    expect(making.filter(({ text }) => !text.includes('.flush()')).map(({ path }) => path)).toEqual([])
  })
})

describe('operations', () => {
  test('have unique ids, addresses and tool names', () => {
    const ids = operations.map(({ id }) => id)
    const addresses = operations.flatMap(({ http }) =>
      [http.path, ...(http.aliases ?? [])].map((path) => `${http.method} ${path}`),
    )
    const tools = operations.flatMap(({ tool }) => (tool ? [tool.name] : []))
    for (const list of [ids, addresses, tools]) expect(new Set(list).size).toBe(list.length)
  })

  test.each(
    areas.flatMap((area) => area.operations.map((operation) => [operation.id, folderOf(area, operation)] as const)),
  )('include %s in lambdas/%s/, in a file of the same name', (id, folder) => {
    expect(existsSync(join(root, 'lambdas', folder, `${kebab(id)}.ts`))).toBe(true)
  })

  test('are all registered', () => {
    const connecting = areas.flatMap(({ socket }) => Object.values<AnyOperation>(socket?.connect ?? {}))
    const registered = new Set([...operations, ...connecting].map(({ id }) => kebab(id)))
    const files = inFolder('lambdas').filter(
      ({ path, text }) => !path.startsWith('lambdas/kit/') && /= operation\(/.test(text),
    )
    expect(
      files.map(({ path }) => path.split('/').at(-1)?.replace('.ts', '')).filter((name) => !registered.has(name ?? '')),
    ).toEqual([])
  })

  test('each have a test that names them', () => {
    const tests = inFolder('test')
      .map(({ text }) => text)
      .join('\n')
    expect(operations.map(({ id }) => id).filter((id) => !new RegExp(`describe\\('${id}\\b`).test(tests))).toEqual([])
  })

  test('have their path parameters as inputs, and an area streams in all of its operations or in none', () => {
    for (const area of areas) {
      for (const operation of area.operations) {
        for (const name of pathParameters(operation.http.path))
          expect(Object.keys(operation.input.shape)).toContain(name)
        if (operation.http.stream) expect(area.stream).toBe(true)
      }
    }
  })

  test('have a run function of at most twenty lines', () => {
    const long = inFolder('lambdas').flatMap(({ path, text }) => {
      const run = /^ {2}run: [\s\S]*?^ {2}(\},|\}\),|.*\),)$/m.exec(text)?.[0] ?? ''
      return run.split('\n').length > 22 ? [`${path}: ${run.split('\n').length}`] : []
    })
    expect(long).toEqual([])
  })
})

describe('the registry of adapters', () => {
  test.each(Object.entries(registry))(
    'has an existing file for %s, which exports its adapter',
    async (port, { module }) => {
      expect(typeof (await import(`../../adapters/${module}`))[port]).toBe('function')
    },
  )

  test('keeps each adapter of DynamoDB in the folder of its port’s noun', () => {
    const lines = readFileSync(join(root, 'adapters/ports.ts'), 'utf8').matchAll(/^ {2}(\w+): (\w+)\./gm)
    const nouns = new Map([...lines].map(([, port = '', noun]) => [port, noun]))
    const folders = Object.entries(registry).flatMap(([port, { module }]) => {
      const [, folder] = /^\.\/dynamo\/(\w+)\//.exec(module) ?? []
      return folder ? [[port, folder]] : []
    })
    expect(folders.length).toBeGreaterThan(40)
    expect(folders).toEqual(folders.map(([port = '']) => [port, nouns.get(port)]))
  })

  test('covers every variable of the environment', () => {
    const text = inFolder('adapters')
      .map((source) => source.text)
      .join('\n')
    expect(variables.filter((name) => !text.includes(`'${name}'`))).toEqual([])
    const named = new Set<string>(Object.values(registry).flatMap(({ variables = [] }) => variables))
    expect(
      variables.filter(
        (name) => !named.has(name) && !['STAGE', 'PUBLIC_ORIGIN', 'CELL', 'IMAGE_VERSION', 'LOG_LEVEL'].includes(name),
      ),
    ).toEqual([])
  })
})

test('openapi.yaml describes every operation and nothing else', () => {
  const ids = [...readFileSync(join(root, 'openapi.yaml'), 'utf8').matchAll(/^ {6}operationId: (\w+)/gm)].map(
    (found) => found[1] ?? '',
  )
  const expected = operations.flatMap(({ id, http }) => [id, ...(http.aliases ?? []).map(() => id)])
  const named = (id: string) =>
    operations.find((operation) => id === operation.id) ??
    operations.find(
      (operation) =>
        operation.http.aliases && id.startsWith(operation.id) && /^[A-Z]/.test(id.slice(operation.id.length)),
    )
  expect(ids.map((id) => named(id)?.id).sort()).toEqual(expected.sort())
})
