import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { explanation, read, unsupported } from '../../../local/template/properties.ts'
import { readTemplate } from '../../../local/template/template.ts'
import { local } from '../../lib/synthesis.ts'
import { lambda, writeAssembly } from '../assembly.ts'

const folder = join(import.meta.dirname, '../../../local')

describe('the properties of the template', () => {
  test('are implemented or listed with a reason, for each resource type that runs here', async () => {
    const template = readTemplate((await local()).folder)
    expect(template.resources.length).toBeGreaterThan(200)
    expect(unsupported(template).unknown).toEqual([])
  })

  test('count as implemented only if their names occur in the runner’s code', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const code = files
      .filter((name) => name.endsWith('.ts') && name !== 'template/properties.ts')
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
    const names = read.map((path) => path.split('.').at(-1) ?? '')
    expect(names.length).toBeGreaterThan(50)
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
  })

  test('are reported when they are neither, at any depth', () => {
    const more = { MemorySize: 128, SnapStart: { ApplyOn: 'None' }, Code: { S3Key: 'one.zip' } }
    const template = readTemplate(writeAssembly({ S: { resources: { Fn: lambda('one', {}, more) } } }, { one: '' }))
    const { left, unknown } = unsupported(template)
    expect(unknown).toEqual(['AWS::Lambda::Function SnapStart.ApplyOn'])
    expect(left).toMatchObject([{ path: 'MemorySize', resources: ['Fn'] }])
    expect(explanation(template).join('\n')).toMatch(/AWS::Lambda::Function MemorySize \(Fn\): a function is told it/)
  })
})
