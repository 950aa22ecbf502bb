import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { sources } from './sources.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const { dependencies, devDependencies, optionalDependencies, scripts } = JSON.parse(textOf('package.json'))
const declared = [...Object.keys(dependencies), ...Object.keys(devDependencies)]

/** The package of `react-dom/client` is `react-dom`, the package of `@scope/name/part` is `@scope/name`. */
const packageOf = (from: string): string => from.split('/', from.startsWith('@') ? 2 : 1).join('/')

const imported = new Set(
  sources
    .flatMap(({ imports }) => imports.map(({ from }) => from))
    .filter((from) => !isBuiltin(from) && !/\.(tsx?|json|css)$/.test(from) && !existsSync(join(root, from)))
    .map(packageOf),
)
const config = [...Object.values<string>(scripts), textOf('jest.config.js'), textOf('tsconfig.json')].join('\n')

/** A package of types belongs to the package that it describes: `@types/react` to `react`. */
const typesOf = (name: string): string => name.replace(/^@types\//, '')

/** True when a script or a configuration file names the package or one of its commands. */
function isNamed(name: string): boolean {
  const { bin = {} } = JSON.parse(textOf(`node_modules/${name}/package.json`))
  const commands = typeof bin === 'string' ? [name] : Object.keys(bin)
  return [typesOf(name), ...commands].some((word) => new RegExp(`(^|[\\s"'/])${word}([\\s"'/]|$)`, 'm').test(config))
}

describe('packages', () => {
  test('declared in package.json are imported, or named in a script or a configuration file', () => {
    expect(declared.length).toBeGreaterThan(40)
    expect(declared.filter((name) => !imported.has(typesOf(name)) && !isNamed(name))).toEqual([])
  })

  test('imported by the code are declared', () => {
    expect(imported.size).toBeGreaterThan(40)
    expect([...imported].filter((name) => !declared.includes(name) && !declared.includes(`@types/${name}`))).toEqual([])
  })

  test('for a single platform have its name in theirs', () => {
    const scopes = Object.keys(optionalDependencies).map((name) => packageOf(name).split('/')[0])
    const found = (scope = '') => sources.some(({ text }) => text.includes(`\`${scope}/\${process.platform}-`))
    expect(scopes.filter((scope) => !found(scope))).toEqual([])
  })
})
