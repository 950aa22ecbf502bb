import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stripe } from 'stripe'
import { areas } from '../../lambdas/areas.ts'
import { bundle, bundleFolder, filesOf, root } from '../../lib/bundle.ts'
import { stripeResources } from '../../lib/lean.ts'
import { at, bundled, type Synthesis, synthesise, synthesiseAll } from './synthesis.ts'

let built: string
let sizes: Map<string, number>

beforeAll(async () => {
  ;({ built, sizes } = await bundled(true))
}, 60_000)

const hashOf = (area: string) => {
  const hash = createHash('sha256')
  for (const name of readdirSync(bundleFolder(built, area)).sort())
    hash.update(name).update(readFileSync(join(bundleFolder(built, area), name)))
  return hash.digest('hex')
}

/** Most kilobytes of an area's code; what an area does not need it must not carry. */
const limits: Record<string, number> = {
  public: 300,
  auth: 800,
  account: 510,
  tokens: 425,
  wallet: 380,
  billing: 610,
  collector: 965,
  instance: 520,
  files: 545,
  chat: 365,
  events: 325,
  catalogue: 375,
  mcp: 600,
  llm: 400,
  agent: 660,
  ledger: 810,
  reconciler: 1_100,
  erasure: 765,
}

describe('bundles', () => {
  test('are one for each area, within their size', () => {
    expect([...sizes.keys()].sort()).toEqual(areas.map(({ name }) => name).sort())
    const kilobytes = [...sizes].map(([area, bytes]) => [area, Math.round(bytes / 1000)] as const)
    process.stdout.write(`bundles in kB: ${kilobytes.map(([area, kB]) => `${area} ${kB}`).join(', ')}\n`)
    expect([...sizes].filter(([area, bytes]) => bytes > 1000 * (limits[area] ?? 0))).toEqual([])
  })

  test.each(areas.map((area) => [area.name, area] as const))(
    '%s holds its code and the files its ports read',
    (_, area) => {
      expect(readdirSync(bundleFolder(built, area.name)).sort()).toEqual(['index.js', ...filesOf(area)].sort())
      for (const file of filesOf(area)) JSON.parse(readFileSync(join(bundleFolder(built, area.name), file), 'utf8'))
    },
  )

  test('carry a vendor’s SDK only where a port stands on it', () => {
    const carriers = (mark: string) =>
      areas
        .map(({ name }) => name)
        .filter((name) => readFileSync(join(bundleFolder(built, name), 'index.js'), 'utf8').includes(mark))
    const withPort = (port: string) => areas.filter(({ access }) => port in access).map(({ name }) => name)
    expect(carriers('StripeInvalidRequestError').sort()).toEqual(withPort('payments').sort())
    expect(carriers('AmazonEC2ContainerServiceV20141113.RunTask').length).toBeLessThanOrEqual(
      withPort('machines').length,
    )
  })

  test('hold the parts of Stripe’s client that the adapters use, and no other', () => {
    const folder = join(root, 'adapters/stripe')
    const used = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .flatMap((text) => [...text.matchAll(/\bstripe(?:\(\)\))?\.([a-z]\w*(?:\.[a-z]\w*)?)\.\w+\(/g)])
      .map(([, part = '']) => part)
    const held = stripeResources.filter((name) => !name.endsWith('/index'))
    const asUsed = (name: string) => name.split('/').map((word) => word.charAt(0).toLowerCase() + word.slice(1))
    expect([...new Set(used)].sort()).toEqual(held.map((name) => asUsed(name).join('.')).sort())
    const client = new Stripe('sk_test_1') as unknown as Record<string, Record<string, unknown>> // safe because every part is read by its name
    for (const [first = '', second] of held.map(asUsed))
      expect(second ? client[first]?.[second] : client[first]).toBeDefined()
  })

  test('are the same bytes every time, with source maps or without', async () => {
    const before = areas.map(({ name }) => hashOf(name))
    await bundle(built, false)
    expect(areas.map(({ name }) => hashOf(name))).toEqual(before)
  }, 60_000)
})

describe('synthesis', () => {
  const contents = ({ folder }: Synthesis) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8').replaceAll(built, '').replaceAll(folder, '')])

  test('gives the same assembly twice', () => {
    const [once, again] = synthesiseAll(built, [{ stage: 'local' }, { stage: 'local' }]).map(contents)
    expect(once).toHaveLength(7)
    expect(again).toEqual(once)
  })

  test('leads from each function’s code to the folder of its area', () => {
    const { folder, ofType } = synthesise(built)
    const { files } = JSON.parse(readFileSync(join(folder, 'BerthService.assets.json'), 'utf8'))
    for (const { name } of areas) {
      const found = ofType('AWS::Lambda::Function').find(
        ([, one]) => one.Properties.FunctionName === `berth-local-${name}`,
      )
      const key = String(at(found?.[1].Properties, 'Code', 'S3Key'))
      const { source } = files[key.replace('.zip', '')]
      expect(source.packaging).toBe('zip')
      expect(
        readFileSync(join(folder, source.path, 'index.js')).equals(
          readFileSync(join(bundleFolder(built, name), 'index.js')),
        ),
      ).toBe(true)
    }
  })

  test('for the cloud passes CloudFormation’s own schemas', () => {
    const { folder } = synthesise(built, { stage: 'production' }, true)
    const report = JSON.parse(readFileSync(join(folder, 'validation-report.json'), 'utf8'))
    expect(report.pluginReports.flatMap((one: { violations: unknown[] }) => one.violations)).toEqual([])
  }, 60_000)
})
