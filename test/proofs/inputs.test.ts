import { describe, expect, test } from '@jest/globals'
import { changedFolders, digestOf, graphOf, readFiles, readInputs } from '../../proofs/kit/inputs.ts'
import { type Proof, proofs } from '../../proofs/proofs.ts'

const proofNamed = (name: string) => proofs[name] as Proof // safe because the tests name only listed proofs
const filesOf = async (name: string) => [...(await readFiles(proofNamed(name))).digests.keys()]
const digest = (path: string, text: string) => digestOf(path, Buffer.from(text))

describe('inputs of a proof', () => {
  test.each([
    ['proxy', 'lambdas/llm/call-model.ts'],
    ['proxy', 'bench/proxy/bare.ts'],
    ['generators', 'openapi.yaml'],
    ['generators', 'proofs/generators/main.py'],
    ['simulation', 'adapters/dynamo/wallet/wallets.ts'],
    ['template', 'lib/service-stack.ts'],
    ['deploy', 'bin/deploy.ts'],
  ])('include, for %s, %s', async (name, file) => expect(await filesOf(name)).toContain(file))

  test('stop at the program that runs proofs and, for a proof that starts the whole service, at the list of all functions', async () => {
    const files = await filesOf('webhooks')
    expect(files.filter((path) => path.startsWith('local/') || path === 'lambdas/areas.ts')).toEqual([])
  })

  test('include the proof’s own program, for every proof', async () => {
    for (const [name, { program }] of Object.entries(proofs)) expect(await filesOf(name)).toContain(program)
  })

  test('include the versions of the packages that the proof imports', async () => {
    const { packages } = await readFiles(proofNamed('proxy'))
    expect(packages).toContainEqual(expect.stringMatching(/^zod@\d/))
  })

  test('have no comments, also inside expressions', async () => {
    const { modules } = await graphOf(proofNamed('cloud:store'))
    for (const code of modules.values()) expect(code).not.toMatch(/^\s*(\/\/|\/\*(?! @__PURE__))/m)
  })

  test('are the same when they are read twice', async () => {
    expect(await readInputs(proofNamed('slack'))).toEqual(await readInputs(proofNamed('slack')))
  })
})

describe('the digest of a file', () => {
  test('does not change with comments, types and the layout of a program', async () => {
    const plain = await digest('a.ts', 'export const one = (n: number) => n + 1')
    expect(await digest('a.ts', '/** Adds one. */\nexport const one = (n: bigint) =>\n  n + 1 // why\n')).toBe(plain)
  })

  test('does not change with the sentences of a document', async () => {
    const before = await digest('a.md', '# Deploy\n\n    npm ci\n')
    expect(await digest('a.md', '# Deploying\n\nInstall:\n\n      npm ci\n')).toBe(before)
  })

  test.each([
    ['a.ts', 'export const one = 1', 'export const one = 2'],
    ['a.md', 'Then `npm ci`.', 'Then `npm install --global berth`.'],
    ['a.yaml', 'a: 1', 'a: 1 # why'],
  ])('changes with %s', async (path, before, after) => {
    expect(await digest(path, after)).not.toBe(await digest(path, before))
  })
})

test('a folder counts as changed when its digest differs, appears or disappears', () => {
  expect(changedFolders({ app: '1', domain: '1', lib: '1' }, { app: '1', domain: '2', lambdas: '1' })).toEqual([
    'domain',
    'lambdas',
    'lib',
  ])
})
