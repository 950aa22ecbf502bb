import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readEnv } from '../../../adapters/env.ts'
import { catalogue } from '../../../adapters/files/catalogue.ts'
import { openapi } from '../../../adapters/files/openapi.ts'
import { setCookie } from '../../../lambdas/kit/cookies.ts'
import { readCatalogue } from '../../../lib/build/catalogue.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-bundle-'))
const env = readEnv({ LAMBDA_TASK_ROOT: folder })
afterAll(() => rmSync(folder, { recursive: true }))
const ship = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))

test('the catalogue is complete, as the build shipped it', async () => {
  const built = readCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)))
  ship('catalogue.json', built)
  const port = catalogue(env)
  expect(await port.skills()).toEqual(built.skills)
  expect(await port.personas()).toEqual(built.personas)
  expect(built.personas.map(({ id }) => id)).toContain('default')
})

test('a catalogue of an unknown shape is rejected', async () => {
  ship('catalogue.json', { skills: [{ id: 'half' }], personas: [] })
  await expect(catalogue(env).skills()).rejects.toThrow('name')
})

const stage = (name: string) => {
  const [PUBLIC_ORIGIN, CELL, IMAGE_VERSION] = ['https://berth.example', '00', '1']
  return readEnv({ LAMBDA_TASK_ROOT: folder, STAGE: name, PUBLIC_ORIGIN, CELL, IMAGE_VERSION })
}
const schemes = { pat: { type: 'http' }, session: { type: 'apiKey', in: 'cookie', name: 'service.session' } }
const built = { openapi: '3.1.0', components: { schemas: {}, securitySchemes: schemes } }

test('the API document is read once', async () => {
  ship('openapi.json', built)
  const port = openapi(stage('local'))
  const document = await port.read()
  expect(document).toEqual(built)
  ship('openapi.json', {})
  expect(await port.read()).toBe(document)
})

test('a stage’s API document names the stage’s session cookie', async () => {
  ship('openapi.json', built)
  const session = { ...schemes.session, name: '__Secure-service.session' }
  expect(setCookie('session', 'secret', true)).toMatch(`${session.name}=secret`)
  expect(await openapi(stage('prod')).read()).toEqual({
    ...built,
    components: { ...built.components, securitySchemes: { ...schemes, session } },
  })
})
