import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { areas } from '../../lambdas/areas.ts'
import { bundle, bundleFolder, root } from '../../lib/bundle.ts'
import { compiled } from '../counts.ts'
import type { Wanted } from './assemble.ts'

export interface Resource {
  Type: string
  Properties: Record<string, unknown>
  DeletionPolicy?: string
}

export interface Synthesis {
  /** The assembly's folder. */
  folder: string
  stacks: Record<'BerthState' | 'BerthService', Record<string, Resource>>
  /** Of both stacks. */
  resources: [id: string, resource: Resource][]
  ofType(type: string): [id: string, resource: Resource][]
}

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-synth-'))
  made.push(folder)
  return folder
}

/** The bundles of every area, in a folder of this test's own, without their maps unless they are asked for. */
export async function bundled(withMaps = false): Promise<{ built: string; sizes: Map<string, number> }> {
  const built = scratch()
  return { built, sizes: await bundle(built, withMaps) }
}

/** A template does not depend on what a bundle holds, so tests of templates need not wait for the real ones. */
export function unbundled(): string {
  const built = scratch()
  for (const { name } of areas) {
    mkdirSync(bundleFolder(built, name), { recursive: true })
    writeFileSync(join(bundleFolder(built, name), 'index.js'), `exports.handler = async () => '${name}'\n`)
  }
  return built
}

type Context = Record<string, unknown>

export function synthesise(built: string, context: Context = { stage: 'local' }, checked = false): Synthesis {
  return synthesiseAll(built, [context], checked)[0]
}

/** One assembly of each context, all of them from one process: the CDK takes longer to load than to run. */
export function synthesiseAll<const C extends readonly Context[]>(built: string, contexts: C, checked = false) {
  const wanted: Wanted = { built, checked, assemblies: contexts.map((context) => ({ context, folder: scratch() })) }
  const env = { ...compiled, PATH: process.env.PATH, HOME: process.env.HOME }
  execFileSync(process.execPath, ['test/lib/assemble.ts', JSON.stringify(wanted)], { cwd: root, env, stdio: 'pipe' })
  // safe because there is an assembly for each context
  return wanted.assemblies.map(({ folder }) => read(folder)) as { -readonly [K in keyof C]: Synthesis }
}

function read(folder: string): Synthesis {
  const read = (name: string): Record<string, Resource> =>
    JSON.parse(readFileSync(join(folder, `${name}.template.json`), 'utf8')).Resources
  const stacks = { BerthState: read('BerthState'), BerthService: read('BerthService') }
  const resources = Object.values(stacks).flatMap((stack) => Object.entries(stack))
  return { folder, stacks, resources, ofType: (type) => resources.filter(([, resource]) => resource.Type === type) }
}

/** A value of the template below some properties; undefined where there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here: unknown = value
  for (const key of path) here = (here as Record<string, unknown> | undefined)?.[key] // safe because a missing step gives undefined
  return here
}

/** The statements of a policy document, with actions and resources as lists. */
export interface Statement {
  effect: string
  actions: string[]
  resources: unknown[]
  conditions: unknown
}

export function statementsOf(document: unknown): Statement[] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
  return list(at(document, 'Statement')).map((statement) => ({
    effect: String(at(statement, 'Effect')),
    actions: list(at(statement, 'Action')).map(String),
    resources: list(at(statement, 'Resource')),
    conditions: at(statement, 'Condition'),
  }))
}
