import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { planOf } from '../../../agent/image/plan.ts'
import { imageFlavours } from '../../../domain/instance/runtime.ts'
import { root } from '../../../lib/build/bundle.ts'
import { readRuntimes } from '../../../lib/build/runtimes.ts'
import { readStage } from '../../../lib/stage.ts'
import { at, deployments, local, statementsOf } from '../synthesis.ts'

const deployed = {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
}
const manifests = readRuntimes(join(root, 'agent/runtimes'))

describe('the project that builds images', () => {
  const project = async () => {
    const { bare } = await deployments()
    const [[id, found] = []] = bare.ofType('AWS::CodeBuild::Project')
    if (!found) throw new Error('there is no project')
    return { bare, id, properties: found.Properties }
  }

  test('builds the images of the stage’s file on the machines’ architecture, and pushes them to the stage’s repository', async () => {
    const { properties } = await project()
    expect(properties.Environment).toMatchObject({ Type: 'ARM_CONTAINER', PrivilegedMode: true })
    const variables = at(properties.Environment, 'EnvironmentVariables') as { Name: string; Value: unknown }[] // safe because a project lists them
    const values = Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value]))
    expect(values).toMatchObject({ FLAVOUR: 'node', RUNTIMES: '', ACCEPT_LICENCES: '' })
    expect(JSON.stringify(values.REPOSITORY)).toContain('Images')
    const { commands } = parse(String(at(properties.Source, 'BuildSpec'))).phases.build
    for (const name of Object.keys(values)) expect(commands.join('\n')).toContain(`$${name}`)
  })

  test('gets both Dockerfiles with all that they copy, and no other code', async () => {
    const { bare, properties } = await project()
    const location = JSON.stringify(at(properties.Source, 'Location'))
    const hash = /([0-9a-f]{64})\.zip/.exec(location)?.[1]
    const folder = join(bare.folder, `asset.${hash}`)
    expect(readdirSync(folder).sort()).toEqual(['agent', 'gateway'])
    expect(readdirSync(join(folder, 'agent'))).toEqual(expect.arrayContaining(['Dockerfile', 'image', 'main.ts']))
    expect(readdirSync(join(folder, 'agent'))).not.toContain('node_modules')
  })

  test('may push to that repository, and to no other', async () => {
    const { bare, properties } = await project()
    const role = at(properties.ServiceRole, 'Fn::GetAtt', 0)
    const policies = bare
      .ofType('AWS::IAM::Policy')
      .filter(([, policy]) => JSON.stringify(policy.Properties.Roles).includes(String(role)))
    const pushes = policies
      .flatMap(([, policy]) => statementsOf(policy.Properties.PolicyDocument))
      .filter(({ actions }) => actions.includes('ecr:PutImage'))
    expect(pushes.map(({ resources }) => JSON.stringify(resources))).toEqual([
      expect.stringMatching(/^\[{"Fn::GetAtt":\["Images/),
    ])
  })

  test('does not exist on a laptop, where machines are processes', async () => {
    expect((await local()).ofType('AWS::CodeBuild::Project')).toEqual([])
  })
})

describe('an image', () => {
  const built = async (stage: 'bare' | 'listening' | 'ownImage' = 'bare') => {
    const found = (await deployments())[stage]
    return { ...found, images: found.ofType('Custom::BerthImage') }
  }

  test('is in the functions’ environment with its tag and digest, which CloudFormation learns from its build', async () => {
    const { ofType, images } = await built()
    const versions = ofType('AWS::Lambda::Function')
      .map(([, resource]) => at(resource.Properties.Environment, 'Variables', 'IMAGE_VERSION'))
      .filter((value) => value !== undefined)
    expect(versions.length).toBeGreaterThan(10)
    expect(images).toHaveLength(1)
    expect(new Set(versions.map((value) => JSON.stringify(value)))).toEqual(
      new Set([JSON.stringify({ 'Fn::GetAtt': [images[0]?.[0], 'Version'] })]),
    )
  })

  test('is built from the stage’s file, and never if the operator pushes it', async () => {
    const [image] = (await built()).images
    expect(image?.[1].Properties).toMatchObject({
      folder: 'agent',
      tag: expect.stringMatching(/^0\.\d+\.\d+-[0-9a-f]{12}$/),
      isYours: 'false',
    })
    const [own] = (await built('ownImage')).images
    expect(own?.[1].Properties).toMatchObject({ tag: 'mine-1', isYours: 'true' })
  })

  test('of the listener is built after the agent’s, because a new account may run one build at a time', async () => {
    const { images, ofType } = await built('listening')
    const [agent, gateway] = images
    expect(gateway?.[1]).toMatchObject({ Properties: { folder: 'gateway' }, DependsOn: [agent?.[0]] })
    const task = JSON.stringify(ofType('AWS::ECS::TaskDefinition'))
    expect(task).toContain(JSON.stringify({ 'Fn::GetAtt': [gateway?.[0], 'Digest'] }))
  })

  test('needs no parameter of the template without a default', async () => {
    const { bare } = await deployments()
    for (const name of readdirSync(bare.folder).filter((file) => file.endsWith('.template.json'))) {
      const { Parameters = {} } = JSON.parse(readFileSync(join(bare.folder, name), 'utf8'))
      expect(Object.entries(Parameters).filter(([, parameter]) => at(parameter, 'Default') === undefined)).toEqual([])
    }
  })

  test('is kept until a hundred newer ones exist', async () => {
    const { bare } = await deployments()
    const repository = bare.ofType('AWS::ECR::Repository')[0]?.[1].Properties
    const { rules } = JSON.parse(String(at(repository, 'LifecyclePolicy', 'LifecyclePolicyText')))
    expect(rules.map(({ selection }: { selection: object }) => selection)).toEqual([
      { tagStatus: 'untagged', countType: 'sinceImagePushed', countNumber: 1, countUnit: 'days' },
      { tagStatus: 'any', countType: 'imageCountMoreThan', countNumber: 100 },
    ])
  })
})

describe('the image in a stage’s file', () => {
  const read = (more: object) => readStage('prod', { ...deployed, ...more })

  test('is by default the smallest flavour that supports its runtimes', () => {
    expect(read({}).image).toEqual({ flavour: 'node', acceptLicences: [] })
    expect(read({ runtimes: ['pi'] }).image.flavour).toBe('full')
    expect(read({ runtimes: ['pi'], image: { flavour: 'browser' } }).image.flavour).toBe('browser')
  })

  test.each(manifests.map((each) => [each.name, each] as const))(
    'is refused with %s exactly when the build would refuse it',
    (name) => {
      for (const flavour of imageFlavours)
        for (const acceptLicences of [[], [name]]) {
          const refuses = (act: () => unknown) => {
            try {
              act()
              return false
            } catch {
              return true
            }
          }
          const manifestOf = (wanted: string) => manifests.find((each) => each.name === wanted)
          const build = refuses(() => planOf(flavour, [name], manifestOf, acceptLicences))
          const stage = refuses(() => read({ runtimes: [name], image: { flavour, acceptLicences } }))
          expect([flavour, acceptLicences, stage]).toEqual([flavour, acceptLicences, build])
        }
    },
  )

  test('is not validated when it is the operator’s own', () => {
    expect(read({ runtimes: ['pi'], image: { flavour: 'node' }, imageVersion: 'mine' }).imageVersion).toBe('mine')
    expect(() => read({ imageVersion: 'no tag' })).toThrow(/imageVersion: a tag/)
  })
})
