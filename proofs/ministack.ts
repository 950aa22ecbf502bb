/**
 * `npm run prove ministack`: both stacks of a stage in ministack (PyPI), an emulator of CloudFormation. They are created;
 * updated from the last release; and created again after a failed first creation. Resources of types that it does not
 * know are left out and listed. It accepts more than AWS does: this is about references, order, and what stays behind.
 *
 * The last release is the last tag, or the commit before HEAD; `ministack:REVISION` takes another.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bootstrap, create, type Name, names, type Outcome, remove, stackOf, update } from './ministack/cloud.ts'
import { leftOut, parseTemplate, type Resource, reduce, type Template } from './ministack/left-out.ts'
import { assemble, settings } from './template/assemble.ts'
import { startMinistack } from './tools/ministack.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'berth-prove-ministack-'))
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()

let failed = 0
function note(what: string, holds: boolean, otherwise: string[] = []): void {
  if (!holds) failed++
  console.log(`  ${holds ? 'ok    ' : 'FAILED'} ${what}`)
  if (!holds) for (const line of otherwise.slice(0, 9)) console.log(`           ${line}`)
}

const reached = (what: string, name: Name, wanted: string, { status, failures }: Outcome): void =>
  note(`${what}: ${stackOf(name)} is ${status ?? 'gone'}`, status === wanted, failures)

type Templates = Record<Name, Template>

/** @param isShown lists the resources that are left out */
function templatesOf(title: string, sources: string, isShown = false): Templates {
  const paths = assemble(join(folder, title), sources)
  const kinds = new Map<string, number>()
  function read(name: Name): Template {
    const path = paths.find((each) => basename(each) === `${stackOf(name)}.template.json`)
    if (!path) throw new Error(`${title} has no template of ${stackOf(name)}`)
    const { reduced, gone } = reduce(parseTemplate(readFileSync(path, 'utf8')))
    for (const kind of gone.values()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    if (isShown)
      console.log(`  ${stackOf(name)}: ${Object.keys(reduced.Resources).length} resources, ${gone.size} left out`)
    return reduced
  }
  const templates = { state: read('state'), service: read('service') }
  if (isShown) {
    console.log('  left out, and so not shown by this proof:')
    for (const [kind, count] of [...kinds].sort()) console.log(`    ${count} ${kind}`)
    const unused = leftOut.filter((type) => ![...kinds.keys()].some((kind) => kind.startsWith(type)))
    for (const type of unused) console.log(`    none is ${type}`)
  }
  return templates
}

/** The sources of the last release, with the packages of today. */
function lastRelease(revision?: string): { sources: string; commit: string } {
  const tag = () => {
    try {
      return git('describe', '--tags', '--abbrev=0')
    } catch {
      return 'HEAD~1'
    }
  }
  const commit = git('rev-parse', '--short=12', revision ?? tag())
  const sources = join(folder, 'sources')
  mkdirSync(sources)
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', sources], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'))
  return { sources, commit }
}

const [first, second] = ['0123456789abcdef', 'fedcba9876543210'] as const

async function createAll(what: string, templates: Templates, release: string): Promise<void> {
  for (const name of names) reached(what, name, 'CREATE_COMPLETE', await create(name, templates[name], release))
}

/** The template with a resource that fails once all others are made. */
function failing(template: Template): Template {
  const broken = {
    Type: 'AWS::CloudFormation::WaitCondition',
    DependsOn: Object.keys(template.Resources),
    Properties: { Handle: { Ref: 'NeverSignalled' }, Timeout: '1', Count: 1 },
  }
  const handle = { Type: 'AWS::CloudFormation::WaitConditionHandle', Properties: {} }
  return { ...template, Resources: { ...template.Resources, NeverSignalled: handle, NeverDone: broken } }
}

/** Whether CloudFormation does not choose the resource's name. */
const hasFixedName = ({ Type, Properties = {} }: Resource): boolean =>
  ['Name', `${Type.split('::').at(-1)}Name`].some((property) => property in Properties)

/** A first creation that fails, its deletion as `npm run deploy` says, and the creation again. */
async function repeat(name: Name, template: Template): Promise<void> {
  const tried = await create(name, failing(template), first)
  reached('a failed creation', name, 'ROLLBACK_COMPLETE', tried)
  if (tried.status !== 'ROLLBACK_COMPLETE') return
  const removed = await remove(name)
  note(`a failed creation: ${stackOf(name)} is deleted`, removed.status === undefined, removed.failures)
  const kept = [...tried.kept, ...removed.kept]
  for (const id of kept) console.log(`         left over: ${id} (${template.Resources[id]?.Type})`)
  // ministack would make a second resource of the same name; AWS refuses it.
  const named = kept.filter((id) => hasFixedName(template.Resources[id] ?? { Type: '' }))
  note(`a failed creation: ${stackOf(name)} leaves no name over`, named.length === 0, named)
  reached('created after a failure', name, 'CREATE_COMPLETE', await create(name, template, first))
}

const [, , revision] = process.argv
const ministack = await startMinistack(settings.account, settings.region)
try {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: ministack.url,
    AWS_REGION: settings.region,
    AWS_ACCESS_KEY_ID: 'proof',
    AWS_SECRET_ACCESS_KEY: 'proof',
  })
  const { sources, commit } = lastRelease(revision)
  const now = templatesOf('now', root, true)
  const before = templatesOf('before', sources)

  await bootstrap()
  await createAll('created', now, first)

  await ministack.reset()
  await bootstrap()
  await createAll(`release ${commit}`, before, first)
  for (const name of names) {
    const updated = await update(name, now[name], second)
    if (updated) reached(`updated from ${commit}`, name, 'UPDATE_COMPLETE', updated)
    else note(`updated from ${commit}: ${stackOf(name)} has the same template`, true)
  }

  await ministack.reset()
  await bootstrap()
  for (const name of names) await repeat(name, now[name])
} finally {
  await ministack.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
