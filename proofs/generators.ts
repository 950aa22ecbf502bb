/**
 * Clients that third-party generators make from the served document: each is generated, compiled and run against a
 * local service, where it reads the status and the wallet, tops it up, gets an answer to a chat message and reads an
 * error's code through its type. The results are the first table of docs/works-with.md.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import start from '../test/service/start.js'
import stop from '../test/service/stop.js'
import { recordRun } from './kit/record.ts'
import { pythonWith } from './tools/python.ts'

const versions = {
  'openapi-generator': '7.25.0',
  'oapi-codegen': 'v2.8.2',
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  typescript: '5.9.3',
  'openapi-python-client': '0.29.1',
  'hey-api': '0.99.0',
  spectral: '6.16.3',
  redocly: '2.77.0',
}
const programs = join(import.meta.dirname, 'generators')
const folder = mkdtempSync(join(tmpdir(), 'berth-prove-generators-'))
const document = join(folder, 'openapi.json')

function run(cwd: string, command: string, args: string[], env: NodeJS.ProcessEnv = {}): string {
  mkdirSync(cwd, { recursive: true })
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  return execFileSync(command, args, {
    cwd,
    stdio: [...stdio],
    encoding: 'utf8',
    env: { ...process.env, ...env },
  }).trim()
}

/** Lets Maven download the generator once. @returns its path */
function jar(): string {
  const [name, version] = ['openapi-generator-cli', versions['openapi-generator']]
  const artifact = `-Dartifact=org.openapitools:${name}:${version}`
  const file = join(tmpdir(), `${name}-${version}.jar`)
  const copy = ['-q', 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy']
  if (!existsSync(file)) run(folder, 'mvn', [...copy, artifact, `-DoutputDirectory=${tmpdir()}`])
  return file
}

function generate(language: string, to: string, ...properties: string[]): void {
  const said = properties.length > 0 ? ['--additional-properties', properties.join()] : []
  run(folder, 'java', ['-jar', jar(), 'generate', '-g', language, '-i', document, '-o', to, ...said])
}

/** A compiled Go module with a program and the package `berth` that it uses. @returns the program's path */
function goProgram(at: string, program: string): string {
  cpSync(join(programs, program), join(at, 'main.go'))
  for (const args of [
    ['mod', 'init', 'example.com/prove'],
    ['mod', 'tidy'],
    ['vet', './...'],
    ['build', '-o', 'prove', '.'],
  ])
    run(at, 'go', args)
  return join(at, 'prove')
}

/** Compiles a program with the strictest settings, bundles it because its imports have no extensions, and runs it. */
function runTypeScript(at: string, program: string, service: Service): string {
  cpSync(join(programs, program), join(at, 'main.ts'))
  const strict = ['--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  run(at, 'npx', ['tsc', ...strict, '--noEmit', 'main.ts'])
  const { outputFiles } = buildSync({
    entryPoints: [join(at, 'main.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  })
  writeFileSync(join(at, 'main.js'), outputFiles[0]?.text ?? '')
  return run(at, process.execPath, ['main.js'], service)
}

type Service = { BERTH_URL: string; BERTH_TOKEN: string }
interface Client {
  name: string
  version: string
  /** The command that makes the client. */
  command: string
  prove(service: Service): Promise<string>
}

const clients: Client[] = [
  {
    name: '[@berth/client](../clients/typescript/README.md), ours',
    version: 'of this tree',
    command: 'npm install @berth/client',
    async prove(service) {
      const at = join(folder, 'client')
      const own = join(import.meta.dirname, '../clients/typescript')
      const packed = run(own, 'npm', ['pack', '--silent', '--pack-destination', folder]).split('\n').at(-1) ?? ''
      mkdirSync(at)
      writeFileSync(join(at, 'package.json'), '{"type":"module"}')
      const typescript = `typescript@${versions.typescript}`
      run(at, 'npm', ['install', '--silent', '@types/node@24', typescript, join(folder, packed)])
      return runTypeScript(at, 'main-berth-client.mts', service)
    },
  },
  {
    name: 'openapi-generator, Python',
    version: versions['openapi-generator'],
    command:
      'openapi-generator generate -g python -i openapi.json -o berth --additional-properties packageName=berth_client',
    async prove(service) {
      const at = join(folder, 'python')
      generate('python', at, 'packageName=berth_client')
      const python = join(pythonWith('generators', ['pydantic==2.14.3']), 'bin')
      run(at, join(python, 'pip'), ['install', '--quiet', '.'])
      run(at, join(python, 'python'), ['-m', 'compileall', '-q', 'berth_client'])
      return run(folder, join(python, 'python'), [join(programs, 'main.py')], service)
    },
  },
  {
    name: 'openapi-generator, Go',
    version: versions['openapi-generator'],
    command:
      'openapi-generator generate -g go -i openapi.json -o berth --additional-properties packageName=berth,withGoMod=false',
    async prove(service) {
      const at = join(folder, 'go')
      generate('go', join(at, 'berth'), 'packageName=berth', 'withGoMod=false')
      // Its own tests are for a module that it cannot name.
      rmSync(join(at, 'berth', 'test'), { recursive: true, force: true })
      return run(at, goProgram(at, 'main-generator.go'), [], service)
    },
  },
  {
    name: 'oapi-codegen',
    version: versions['oapi-codegen'].slice(1),
    command: 'oapi-codegen -generate types,client -package berth -o berth/client.go openapi.json',
    async prove(service) {
      const at = join(folder, 'oapi-codegen')
      const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions['oapi-codegen']}`
      run(at, 'go', ['install', tool], { GOBIN: join(folder, 'bin') })
      mkdirSync(join(at, 'berth'))
      const options = ['-generate', 'types,client', '-package', 'berth', '-o', 'berth/client.go']
      run(at, join(folder, 'bin', 'oapi-codegen'), [...options, document])
      return run(at, goProgram(at, 'main-oapi-codegen.go'), [], service)
    },
  },
  {
    name: 'openapi-typescript, with openapi-fetch',
    version: `${versions['openapi-typescript']}, ${versions['openapi-fetch']}`,
    command: 'npx openapi-typescript openapi.json -o berth.d.ts',
    async prove(service) {
      const at = join(folder, 'typescript')
      const names = ['openapi-typescript', 'openapi-fetch', 'typescript'] as const
      mkdirSync(at, { recursive: true })
      writeFileSync(join(at, 'package.json'), '{"type":"module"}')
      run(at, 'npm', ['install', '--silent', '@types/node@24', ...names.map((name) => `${name}@${versions[name]}`)])
      run(at, 'npx', ['openapi-typescript', document, '-o', 'berth.d.ts'])
      return runTypeScript(at, 'main-openapi-typescript.mts', service)
    },
  },
  {
    name: 'openapi-python-client',
    version: versions['openapi-python-client'],
    command: 'openapi-python-client generate --path openapi.json --meta none --output-path berth_client',
    async prove(service) {
      const at = join(folder, 'openapi-python-client')
      const installed = pythonWith('openapi-python-client', [
        `openapi-python-client==${versions['openapi-python-client']}`,
      ])
      const bin = join(installed, 'bin')
      const options = ['--meta', 'none', '--output-path', 'berth_client', '--fail-on-warning']
      // It formats its output with Ruff, which is installed next to it.
      const env = { PATH: `${bin}:${process.env.PATH}` }
      run(at, join(bin, 'openapi-python-client'), ['generate', '--path', document, ...options], env)
      run(at, join(bin, 'python'), ['-m', 'compileall', '-q', 'berth_client'])
      cpSync(join(programs, 'main-openapi-python-client.py'), join(at, 'main.py'))
      return run(at, join(bin, 'python'), ['main.py'], service)
    },
  },
  {
    name: '@hey-api/openapi-ts',
    version: versions['hey-api'],
    command: 'npx @hey-api/openapi-ts -i openapi.json -o berth',
    async prove(service) {
      const at = join(folder, 'hey-api')
      mkdirSync(at, { recursive: true })
      writeFileSync(join(at, 'package.json'), '{"type":"module"}')
      const packages = [`@hey-api/openapi-ts@${versions['hey-api']}`, `typescript@${versions.typescript}`]
      run(at, 'npm', ['install', '--silent', '@types/node@24', ...packages])
      run(at, 'npx', ['openapi-ts', '-i', document, '-o', 'berth'])
      return runTypeScript(at, 'main-hey-api.mts', service)
    },
  },
]

/** @throws when the rules of OpenAPI find any problem */
function lint(): string {
  const at = join(folder, 'spectral')
  mkdirSync(at)
  writeFileSync(join(at, 'package.json'), '{}')
  writeFileSync(join(at, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
  run(at, 'npm', ['install', '--silent', `@stoplight/spectral-cli@${versions.spectral}`])
  return run(at, 'npx', ['spectral', 'lint', '--fail-severity', 'hint', '-r', 'rules.yaml', document])
}

/**
 * @throws when Redocly finds a problem other than the two ambiguous paths for which `.redocly.lint-ignore.yaml` gives a
 * reason
 */
function lintWithRedocly(): string {
  const at = join(folder, 'redocly')
  mkdirSync(at)
  writeFileSync(join(at, 'package.json'), '{}')
  run(at, 'npm', ['install', '--silent', `@redocly/cli@${versions.redocly}`])
  const root = join(import.meta.dirname, '..')
  const found = run(root, join(at, 'node_modules/.bin/redocly'), ['lint', 'openapi.yaml', '--format', 'json'])
  const { totals } = JSON.parse(found.slice(found.indexOf('{')))
  if (totals.errors + totals.warnings > 0) throw new Error(found)
  return JSON.stringify(totals)
}

let failed = 0
async function step(name: string, work: () => Promise<string> | string): Promise<void> {
  try {
    console.log(`ok     ${name}: ${await work()}`)
  } catch (thrown) {
    failed++
    const { stdout, stderr } = thrown as { stdout?: string; stderr?: string } // safe because both are only printed
    console.log(`FAILED ${name}: ${thrown}\n${stdout ?? ''}${stderr ?? ''}`)
  }
}

await start()
try {
  const { hostedUser, mintedWith, origin } = await import('../test/service/client.ts')
  writeFileSync(document, await (await fetch(`${origin}/api/openapi.json`)).text())
  await step(`Spectral ${versions.spectral}`, lint)
  await step(`Redocly ${versions.redocly}`, lintWithRedocly)
  const token = await mintedWith(await hostedUser(500), ['mcp:*', 'api:chat'])
  for (const { name, version, prove } of clients)
    await step(`${name} ${version}`, () => prove({ BERTH_URL: origin, BERTH_TOKEN: token }))
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}
const rows = clients.map(({ name, version, command }) => `| ${name} | ${version} | \`${command}\` |`)
if (failed === 0)
  recordRun('generators', {
    table: ['| generator | version | to make a client |', '|---|---|---|', ...rows].join('\n'),
    spectral: versions.spectral,
  })
process.exit(failed === 0 ? 0 : 1)
