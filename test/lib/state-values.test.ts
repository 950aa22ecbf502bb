import { at, deployments, type Synthesis } from './synthesis.ts'

let all: Record<string, Synthesis>

beforeAll(async () => {
  all = await deployments()
})

const text = (value: unknown) => JSON.stringify(value)

/** The bootstrap stack owns its version. */
const ofBootstrap = '/cdk-bootstrap/hnb659fds/version'

describe('values of the state stack', () => {
  test('are read by other stacks as SSM parameters that it owns', () => {
    for (const [name, { stacks, parameters }] of Object.entries(all)) {
      const owned = Object.values(stacks.state).flatMap(({ Type, Properties }) =>
        Type === 'AWS::SSM::Parameter' ? [Properties.Name] : [],
      )
      const read = Object.values(parameters).flatMap((declared) =>
        Object.values(declared).flatMap((parameter) =>
          at(parameter, 'Type') === 'AWS::SSM::Parameter::Value<String>' ? [at(parameter, 'Default')] : [],
        ),
      )
      expect(owned.length).toBeGreaterThan(40)
      expect([name, read.filter((path) => path !== ofBootstrap && !owned.includes(path))]).toEqual([name, []])
      expect([name, owned.filter((path) => !read.includes(path) && !/images\/project$/.test(String(path)))]).toEqual([
        name,
        [],
      ])
    }
  })

  test('are never exports: CloudFormation refuses to remove an export that is still imported', () => {
    for (const { stacks, outputs } of Object.values(all)) {
      expect(text(stacks)).not.toMatch(/Fn::(ImportValue|GetStackOutput)/)
      for (const output of Object.values(outputs).flatMap((ofStack) => Object.values(ofStack)))
        expect(at(output, 'Export')).toBeUndefined()
    }
  })

  test('are written a few at a time: Parameter Store refuses more than a few writes a second', () => {
    const owned = Object.entries(all.bare?.stacks.state ?? {}).filter(([, { Type }]) => Type === 'AWS::SSM::Parameter')
    const ids = owned.map(([id]) => id)
    const unordered = owned.filter(([, { DependsOn = [] }]) => !DependsOn.some((id) => ids.includes(id)))
    expect(unordered).toHaveLength(3)
    const waitedFor = owned.flatMap(([, { DependsOn = [] }]) => DependsOn.filter((id) => ids.includes(id)))
    expect(new Set(waitedFor).size).toBe(waitedFor.length)
  })
})
