import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { imageVariables } from '../../../agent/image/environment.ts'
import { debianRelease, flavours, versions } from '../../../agent/image/flavours.ts'
import { planOf } from '../../../agent/image/plan.ts'
import { uids } from '../../../domain/instance/machine.ts'
import { readRuntimes } from '../../../lib/build/runtimes.ts'

const root = join(import.meta.dirname, '../../..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const dockerfile = textOf('agent/Dockerfile')
const manifests = readRuntimes(join(root, 'agent/runtimes'))
const manifestOf = (name: string) => manifests.find((each) => each.name === name)

describe('an image', () => {
  it('has the Node and Debian versions that the project is tested with', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(bases).toEqual([
      `\${LIBRARY}/node:${versions.node}-${debianRelease}-slim`,
      `\${LIBRARY}/debian:${debianRelease}-slim`,
    ])
    expect(JSON.parse(textOf('package.json')).devDependencies.node).toBe(versions.node)
  })

  it('is built by the script alone, by default without runtimes and without accepted licences', () => {
    const commands = [...dockerfile.matchAll(/^RUN ((?:.*\\\n)*.*)/gm)].map(([, command = '']) => command)
    expect(commands.map((command) => /install\.ts (\w+)/.exec(command)?.[1])).toEqual(['system', 'agent'])
    expect([...dockerfile.matchAll(/^ARG (.+)$/gm)].map(([, arg]) => arg)).toEqual([
      'LIBRARY=docker.io/library',
      'FLAVOUR=node',
      'RUNTIMES=""',
      'ACCEPT_LICENCES=""',
    ])
  })

  it('has a user with the id of the runtime’s container', () => {
    expect(textOf('agent/image/install.ts')).toContain(`'--uid', '${uids.runtime}'`)
  })

  it('has each package once, with its version unless it comes from Debian', () => {
    const all = Object.values(flavours).flatMap(({ debian, pypi, npm }) => [...debian, ...pypi, ...npm])
    expect(new Set(all).size).toBe(all.length)
    for (const { pypi, npm } of Object.values(flavours))
      for (const name of [...pypi, ...npm]) expect(name).toMatch(/(==|.@)\d+\.\d+\.\d+$/)
  })
})

describe('a plan of an image', () => {
  it('includes the contents of smaller flavours, and the programs of its runtimes at the versions of their manifests', () => {
    const plan = planOf('browser', ['pi', 'reference'], manifestOf, [])
    for (const { debian } of Object.values(flavours)) expect(plan.debian).toEqual(expect.arrayContaining(debian))
    expect(plan.programs).toEqual([`@earendil-works/pi-coding-agent@${manifestOf('pi')?.npm?.version}`])
    expect(planOf('node', ['reference'], manifestOf, []).programs).toEqual([])
  })

  it.each(manifests.map((each) => [each.name, each] as const))(
    'includes %s only in the flavour that needs it',
    (name, manifest) => {
      expect(planOf(manifest.image, [name], manifestOf, [name]).programs).toHaveLength(manifest.npm ? 1 : 0)
      if (manifest.image !== 'node')
        expect(() => planOf('node', [name], manifestOf, [name])).toThrow(`needs the flavour ${manifest.image}`)
    },
  )

  it('includes no program that may not be redistributed, unless its licence is accepted', () => {
    for (const { name, redistributed } of manifests)
      if (!redistributed) expect(() => planOf('browser', [name], manifestOf, ['pi'])).toThrow(`ACCEPT_LICENCES=${name}`)
    expect(manifests.some(({ redistributed }) => !redistributed)).toBe(true)
  })

  it('names an unknown runtime in its error', () => {
    expect(() => planOf('tiny', [], manifestOf, [])).toThrow('no flavour "tiny"')
    expect(() => planOf('full', ['none'], manifestOf, [])).toThrow('no runtime "none"')
  })
})

describe('a program that a user’s agent installs', () => {
  const variables = imageVariables('/mnt/berth', '/usr/local/bin:/usr/bin')

  it('lies below packages/ of the volume, with its downloads in /tmp', () => {
    const places = Object.entries(variables).filter(([, value]) => value.startsWith('/'))
    for (const [name, value] of places)
      for (const path of value.split(':'))
        expect(`${name}=${path}`).toMatch(/=(\/mnt\/berth\/packages\/|\/tmp\/\.cache|\/opt\/berth\/programs\/|\/usr\/)/)
  })

  it('precedes the image’s own on the PATH, except Debian’s packages, and follows the runtimes’ programs', () => {
    const path = variables.PATH?.split(':') ?? []
    const at = (part: string) => path.findIndex((each) => each.includes(part))
    expect(at('/opt/berth/programs')).toBe(0)
    expect(at('packages/npm')).toBeLessThan(at('/usr/local/bin'))
    expect(at('packages/python')).toBeLessThan(at('/usr/local/bin'))
    expect(at(`packages/${debianRelease}/usr/bin`)).toBeGreaterThan(path.indexOf('/usr/bin'))
  })
})

it('the scripts of the image are executable and have no syntax errors', () => {
  const folders = ['agent/image/apt', 'agent/image/apt/scripts', 'proofs/images', 'agent/image']
  const scripts = folders
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path, 'utf8').startsWith('#!/bin/sh'))
  expect(scripts.length).toBeGreaterThanOrEqual(5)
  for (const path of scripts) {
    expect(statSync(path).mode & 0o111).toBe(0o111)
    execFileSync('/bin/sh', ['-n', path])
  }
})
