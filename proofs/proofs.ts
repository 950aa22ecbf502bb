/**
 * Every proof and every measurement: the program, its other inputs, and its duration. The modules that the program
 * imports are found in its import graph (`proofs/kit/inputs.ts`); other inputs are named here.
 */
import { mutations } from '../test/mutations/mutations.ts'

export interface Proof {
  about: string
  /** Relative to the root of the repository, as every path here. */
  program: string
  /** The program's arguments. */
  args?: readonly string[]
  /** Runs with the variables and Node options of this script of package.json. */
  asScript?: 'start'
  /** Programs that it starts by path: their imports count too. */
  starts?: readonly string[]
  /** Functions of the service that the proof is about, with the adapters of their ports. */
  areas?: readonly string[]
  /** Patterns of all other files that it reads. */
  files?: readonly string[]
  /** On two cores, with all its tools already installed. */
  minutes: number
  /** Required tools besides Node, Python with PyPI, and npm. */
  needs?: string
  /** Short enough for `.github/workflows/nightly.yml`, which runs only these. */
  nightly?: true
}

const handlers = ['http', 'job', 'socket'].map((kind) => `lambdas/kit/${kind}-handler.ts`)
const deployment = ['lib/parameters.ts', 'lib/stage.ts']

export const proofs: Readonly<Record<string, Proof>> = {
  // Measurements
  proxy: {
    about: 'the model proxy next to a bare proxy, Portkey and LiteLLM',
    program: 'bench/proxy/run.ts',
    starts: ['bench/proxy/berth.ts', 'bench/proxy/bare.ts', 'bench/proxy/upstream.ts', 'bench/proxy/loopback.ts'],
    minutes: 4,
  },
  footprint: {
    about: 'resident memory of the idle local service',
    program: 'bench/footprint.ts',
    asScript: 'start',
    starts: ['agent/main.ts', 'agent/launcher.ts', 'agent/runtime/main.ts', 'gateway/main.ts'],
    files: ['local/**/*.ts', 'package.json', 'package-lock.json'],
    minutes: 1,
    nightly: true,
  },
  'cold-start': {
    about: 'how long the code of each function takes to load',
    program: 'bench/cold-start.ts',
    starts: ['lib/build/esbuild.ts', 'lib/build/entry-points.ts'],
    files: ['lambdas/*/index.ts', 'package-lock.json'],
    minutes: 3,
  },
  'bundle-sizes': {
    about: 'how large the adapter of Telegram is',
    program: 'bench/bundle-sizes.ts',
    starts: ['adapters/telegram/telegram.ts'],
    minutes: 1,
    nightly: true,
  },
  dev: {
    about: 'how soon an edit is live under `npm run dev`',
    program: 'bench/dev.ts',
    files: ['local/*.ts', 'local/dev/*.ts'],
    minutes: 1,
  },
  push: {
    about: 'how long text takes from a model to a reader',
    program: 'bench/push.ts',
    areas: ['push', 'socket'],
    starts: ['agent/main.ts'],
    minutes: 4,
  },
  wake: {
    about: 'how long a paused instance takes to its first word',
    program: 'bench/wake.ts',
    areas: ['reconciler'],
    starts: ['agent/main.ts'],
    minutes: 2,
  },
  'webhook-bursts': {
    about: 'how long a chat platform waits when a thousand updates come at once',
    program: 'bench/webhook-bursts.ts',
    areas: ['channels'],
    minutes: 1,
  },
  'restore-points': {
    about: 'restore points of 20 GiB in 100,000 files',
    program: 'bench/restore-points.ts',
    minutes: 25,
    needs: '25 GiB of disk',
  },
  dashboard: {
    about: 'a conversation of 10,000 messages in Chromium',
    program: 'bench/dashboard.ts',
    files: ['dashboard/chat/**', 'domain/markdown/**'],
    minutes: 3,
    needs: 'Chromium',
  },

  // Money
  money: {
    about: 'every broken money rule is noticed by its suite',
    program: 'proofs/money.ts',
    files: ['test/mutations/*.json', ...mutations.flatMap(({ file, suite }) => [file, `${suite}.test.ts`])],
    minutes: 15,
  },
  simulation: {
    about: '25,000 model calls against providers with books of their own',
    program: 'proofs/simulation.ts',
    areas: ['llm'],
    minutes: 15,
  },

  // The document and its clients
  generators: {
    about: 'clients that generators make of the document',
    program: 'proofs/generators.ts',
    files: ['openapi.yaml', 'bench/prove/generators/**', 'clients/typescript/*.{ts,json}'],
    minutes: 6,
    needs: 'Java, Maven and Go',
    nightly: true,
  },
  schemathesis: {
    about: 'every operation, called with data that its schema allows and data that it does not',
    program: 'proofs/schemathesis.ts',
    files: ['openapi.yaml', 'bench/prove/schemathesis/**'],
    minutes: 30,
  },
  mcp: {
    about: 'the conformance suite of MCP',
    program: 'proofs/mcp.ts',
    areas: ['mcp'],
    minutes: 2,
    nightly: true,
  },
  'clients:models': {
    about: 'clients of model APIs, and coding agents',
    program: 'proofs/clients.ts',
    args: ['models'],
    areas: ['llm'],
    files: ['bench/prove/clients/models/**'],
    minutes: 30,
  },
  'clients:openai': {
    about: 'OpenAI’s SDKs for Go, Python and Node in hard streams and errors',
    program: 'proofs/clients.ts',
    args: ['openai'],
    areas: ['llm'],
    files: ['bench/prove/clients/openai/**'],
    minutes: 4,
    needs: 'Go and Python',
  },
  'clients:mcp': {
    about: 'clients of MCP',
    program: 'proofs/clients.ts',
    args: ['mcp'],
    areas: ['mcp', 'oauth'],
    files: ['bench/prove/clients/mcp/**'],
    minutes: 5,
    needs: 'Java, Maven, Go and Chromium',
  },
  'clients:connect': {
    about: 'the lines of the Connect page, run in a shell',
    program: 'proofs/clients.ts',
    args: ['connect'],
    areas: ['mcp', 'oauth'],
    minutes: 2,
    needs: 'Chromium',
  },

  // Machines
  agents: {
    about: 'the agents that machines run',
    program: 'proofs/agents.ts',
    starts: ['proofs/agents/one.ts', 'agent/main.ts', 'agent/runtime/main.ts'],
    files: ['agent/runtimes/**'],
    minutes: 30,
  },
  'agent-mcp': {
    about: 'published MCP servers, used by the reference agent',
    program: 'proofs/agent-mcp.ts',
    starts: ['agent/runtime/main.ts'],
    minutes: 3,
    needs: 'Chromium',
  },
  'agent-tasks': {
    about: 'the tasks of test/agent/evaluation, played to the reference agent',
    program: 'proofs/agent-tasks.ts',
    starts: ['agent/runtime/main.ts'],
    minutes: 3,
  },
  images: {
    about: 'the images of machines, built and run',
    program: 'proofs/images.ts',
    files: [
      'agent/Dockerfile*',
      'agent/image/**',
      'agent/package*.json',
      'agent/runtimes/*/*.json',
      'bench/prove/images/**',
    ],
    minutes: 30,
    needs: 'root, mmdebstrap, buildah, skopeo, docker-registry and soci',
  },

  // Chat platforms and receivers
  deliveries: {
    about: 'a million deliveries of chat platforms',
    program: 'proofs/deliveries.ts',
    minutes: 5,
  },
  'channels:telegram': {
    about: 'a bot of grammY at the emulator of Telegram',
    program: 'proofs/channels.ts',
    args: ['telegram'],
    minutes: 1,
    nightly: true,
  },
  discord: {
    about: 'Discord’s own libraries at our signatures and our emulator',
    program: 'proofs/discord.ts',
    minutes: 1,
    nightly: true,
  },
  slack: {
    about: 'Slack’s own libraries at our signatures and our emulator',
    program: 'proofs/slack.ts',
    minutes: 1,
    nightly: true,
  },
  sockets: {
    about: '500 connections that are cut, revoked and restarted',
    program: 'proofs/sockets.ts',
    areas: ['socket', 'push'],
    minutes: 8,
  },
  webhooks: {
    about: 'published receivers of webhooks check our signatures',
    program: 'proofs/webhooks.ts',
    areas: ['webhook-sender'],
    minutes: 1,
    nightly: true,
  },

  // The cloud and its emulators
  'cloud:store': {
    about: 'the adapters and operations on Amazon’s DynamoDB Local',
    program: 'proofs/cloud.ts',
    args: ['store'],
    files: ['adapters/dynamo/**', 'test/adapters/engine.ts'],
    minutes: 5,
    needs: 'Java and Maven',
  },
  'cloud:service': {
    about: 'the whole service on Amazon’s DynamoDB Local',
    program: 'proofs/cloud.ts',
    args: ['service'],
    files: ['adapters/dynamo/**', 'local/dynamodb/*.ts'],
    minutes: 5,
    needs: 'Java and Maven',
  },
  functions: {
    about: 'every function in Lambda’s own runtime',
    program: 'proofs/functions.ts',
    starts: [...handlers, 'adapters/connect.ts', 'lib/build/esbuild.ts'],
    files: ['lambdas/areas.ts', 'lambdas/*/index.ts', 'package-lock.json'],
    minutes: 25,
    needs: 'a compiler of C++ and CMake',
    nightly: true,
  },
  template: {
    about: 'the templates before cfn-lint, Checkov and cdk-nag',
    program: 'proofs/template.ts',
    minutes: 3,
    nightly: true,
  },
  machines: {
    about: 'the driver of machines against moto',
    program: 'proofs/machines.ts',
    minutes: 1,
    nightly: true,
  },
  redrive: {
    about: 'dead letters put back, against moto',
    program: 'proofs/redrive.ts',
    starts: ['bin/admin.ts'],
    minutes: 2,
  },
  rotation: {
    about: 'the rotation of keys, against moto',
    program: 'proofs/rotation.ts',
    starts: ['bin/admin.ts'],
    minutes: 2,
  },
  deploy: {
    about: 'deploying and each failure on its way, against moto',
    program: 'proofs/deploy.ts',
    starts: ['bin/deploy.ts', 'bin/rollback.ts', 'proofs/deploy/cdk.ts', ...deployment],
    minutes: 9,
  },
  'deploy-guide': {
    about: 'each command of docs/deploy.md in a fresh clone',
    program: 'proofs/deploy-guide.ts',
    starts: ['bin/deploy.ts', 'bin/doctor.ts', 'proofs/deploy/cdk.ts'],
    files: ['docs/deploy.md'],
    minutes: 15,
  },
  destroy: {
    about: 'taking a stage down, against moto',
    program: 'proofs/destroy.ts',
    starts: ['bin/destroy.ts', ...deployment],
    minutes: 2,
  },
  doctor: {
    about: 'the check of a stage, against moto',
    program: 'proofs/doctor.ts',
    starts: ['bin/doctor.ts'],
    minutes: 2,
  },
  drill: {
    about: 'the restore drill, against moto',
    program: 'proofs/drill.ts',
    starts: ['bin/drill.ts'],
    minutes: 3,
  },
}
