/**
 * `npm run prove deploy`: the deploy command as an operator runs it, against moto (PyPI) in AWS's place and the service of this machine
 * as what was deployed, with each failure on its way. After each nothing is half done without a line that says what to run next.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation'
import { ECRClient, PutImageCommand } from '@aws-sdk/client-ecr'
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'
import { startBerth } from '../../local/main.ts'
import { pythonWith } from './tools/python.ts'

const top = join(import.meta.dirname, '../..')
const name = 'proof'
const file = join(top, 'stages', `${name}.json`)
const folder = mkdtempSync(join(tmpdir(), 'berth-prove-deploy-'))
const calls = join(folder, 'calls')
const settings = {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
}
const imageTag = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')).version

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

async function startMoto(): Promise<{ url: string; process: ChildProcess }> {
  const python = pythonWith('moto', ['moto[server,cloudformation,ecr,ssm]==5.2.5'])
  const port = await freePort()
  const child = spawn(join(python, 'bin/moto_server'), ['-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (
      await fetch(`${url}/moto-api/`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, process: child }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** The stand-in is found before the CDK's own command line. */
function placeCdk(): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const text = `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'deploy/cdk.ts')}" "$@"\n`
  writeFileSync(join(bin, 'cdk'), text)
  chmodSync(join(bin, 'cdk'), 0o755)
  return bin
}

const moto = await startMoto()
const berth = await startBerth({ port: 0, dataDir: join(folder, 'data'), quiet: true })
const cloud = {
  AWS_ENDPOINT_URL: moto.url,
  AWS_REGION: settings.region,
  AWS_ACCESS_KEY_ID: 'proof',
  AWS_SECRET_ACCESS_KEY: 'proof',
}
const env = {
  PATH: [placeCdk(), process.env.PATH].join(delimiter),
  HOME: folder,
  CALLS: calls,
  REAL_CDK: join(top, 'node_modules/.bin/cdk'),
  ORIGIN: berth.url,
  IMAGE_TAG: imageTag,
}
Object.assign(process.env, cloud)

interface Wanted {
  settings?: object
  args?: string[]
  env?: Record<string, string>
  says: RegExp
  exit?: number
  /** What the CDK's command line was asked for: `synth`, or the end of a stack's name. */
  touches: string[]
}

const problems: string[] = []

async function run(
  what: string,
  { settings: said = settings, args = ['--stage', name, '--yes'], says, exit = 1, touches, env: more = cloud }: Wanted,
) {
  writeFileSync(file, JSON.stringify(said))
  writeFileSync(calls, '')
  const child = spawn(process.execPath, [join(top, 'bin/deploy.ts'), ...args, '--wait', '5'], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The service that it asks at the end runs here: this must not wait for it without doing anything.
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const asked = readFileSync(calls, 'utf8').split('\n').filter(Boolean)
  const touched = asked.map((one) => one.replace(`berth-${name}-`, ''))
  const right = status === exit && says.test(out + err) && touched.join() === touches.join()
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: exit ${status}, touched ${touched.join() || 'nothing'}\n${out}${err}`)
}

const { region: _, ...somewhere } = settings
const nothing: string[] = []
await run('says how it is used', { args: [], says: /--stage <name>/, touches: nothing })
await run('knows the stages that there are', {
  args: ['--stage', 'nowhere'],
  says: /There are: example, local, proof/,
  touches: nothing,
})
await run('does not deploy the laptop', { args: ['--stage', 'local'], says: /npm start runs it/, touches: nothing })
await run('names each setting that is missing', { settings: somewhere, says: /\n {2}region: /, touches: nothing })
await run('wants credentials', {
  env: { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true' },
  says: /no AWS credentials that work/,
  touches: nothing,
})
await run('wants those of the account', {
  settings: { ...settings, account: '999999999999' },
  says: /are of the account 123456789012; stages\/proof says 999999999999/,
  touches: nothing,
})
await run('wants a Region that was prepared', {
  says: /npx cdk bootstrap aws:\/\/123456789012\/eu-central-1/,
  touches: nothing,
})
await new SSMClient().send(
  new PutParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version', Value: '30', Type: 'String' }),
)
await run('stops where the code makes no template', {
  env: { ...cloud, FAILS: 'synth' },
  says: /cdk synth failed.*nothing was touched/,
  touches: ['synth'],
})
await run('asks before it touches anything', {
  args: ['--stage', name],
  says: /! add AWS::DynamoDB::Table .*[\s\S]*--yes deploys without asking/,
  touches: ['synth'],
})
await run('stops where the first stack fails', {
  env: { ...cloud, FAILS: '-state' },
  says: /run this again/,
  touches: ['synth', 'state'],
})
await run('wants the image, and says how to make it', {
  says: /docker buildx build .*berth\/agent:[\s\S]*Then run this again/,
  touches: ['synth', 'state'],
})
await new ECRClient().send(
  new PutImageCommand({
    repositoryName: 'berth/agent',
    imageTag,
    imageManifest: '{"schemaVersion": 2}',
    imageManifestMediaType: 'application/vnd.oci.image.manifest.v1+json',
  }),
)
await run('stops where the second stack fails', {
  env: { ...cloud, FAILS: '-service' },
  says: /run this again/,
  touches: ['synth', 'state', 'service'],
})
await run('says what does not answer', {
  env: { ...cloud, ORIGIN: 'http://127.0.0.1:9' },
  says: /It is deployed, and not well:[\s\S]*api\/health gave/,
  touches: ['synth', 'state', 'service'],
})
await run('deploys', {
  exit: 0,
  says: /ok: MCP asks for a sign-in[\s\S]*The stage proof is deployed\.[\s\S]*Origin: http/,
  touches: ['synth', 'state', 'service'],
})
await run('can be repeated', { exit: 0, says: /is deployed/, touches: ['synth', 'state', 'service'] })

// Another stack with a table that the code does not have: as if a table were taken out of the code.
const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
}
const other = 'berth-older-state'
await new CloudFormationClient().send(
  new CreateStackCommand({ StackName: other, TemplateBody: JSON.stringify({ Resources: { TablesGone: table } }) }),
)
writeFileSync(join(top, 'stages', 'older.json'), JSON.stringify(settings))
const older = ['--stage', 'older', '--yes']
await run('takes no table away unasked', {
  args: older,
  says: /holds data: TablesGone\. Nothing was touched\. If it is meant: --replace TablesGone/,
  touches: ['synth'],
})
await run('and does when it is named', {
  args: [...older, '--replace', 'TablesGone'],
  exit: 0,
  says: /The stage older is deployed/,
  touches: ['synth', other, 'berth-older-service'],
})

for (const made of [file, join(top, 'stages', 'older.json')]) rmSync(made)
await berth.stop()
moto.process.kill()
rmSync(folder, { recursive: true })
for (const problem of problems) console.log(`\n${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0
