/**
 * Every proof and every measurement: the program, its other inputs, and its duration. The modules that the program
 * imports are found in its import graph (`proofs/kit/inputs.ts`); other inputs are named here.
 */
import { mutations } from '../test/mutations/mutations.ts'

export interface Proof {
  /** The claim that it tests, or the quantity that it measures. */
  about: string
  /** The code whose changes call for a run. */
  after: string
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

/** By subject, in the order of the page. */
export const groups: Readonly<Record<string, Readonly<Record<string, Proof>>>> = {
  Money: {
    money: {
      about: 'every broken money rule is noticed by its suite',
      after: 'a rule of money, or its suite',
      program: 'proofs/money.ts',
      files: ['test/mutations/*.json', ...mutations.flatMap(({ file, suite }) => [file, `${suite}.test.ts`])],
      minutes: 15,
    },
    simulation: {
      about: 'the books stay right through 25,000 model calls to providers that keep their own',
      after: 'billing of model calls',
      program: 'proofs/simulation.ts',
      areas: ['llm'],
      minutes: 15,
    },
  },
  'The document and its clients': {
    generators: {
      about: 'clients that generators make from the OpenAPI document compile and work',
      after: 'the OpenAPI document',
      program: 'proofs/generators.ts',
      files: ['openapi.yaml', 'proofs/generators/**', 'clients/typescript/*.{ts,json}'],
      minutes: 6,
      needs: 'Java, Maven and Go',
      nightly: true,
    },
    schemathesis: {
      about: 'every operation answers data that its schema allows, and data that it forbids, as documented',
      after: 'schemas of operations',
      program: 'proofs/schemathesis.ts',
      files: ['openapi.yaml', 'proofs/schemathesis/**'],
      minutes: 30,
    },
    mcp: {
      about: 'the service passes the conformance suite of MCP',
      after: 'the MCP area',
      program: 'proofs/mcp.ts',
      areas: ['mcp'],
      minutes: 2,
      nightly: true,
    },
    'clients:models': {
      about: 'clients of model APIs, and coding agents, work through the proxy',
      after: 'the model proxy',
      program: 'proofs/clients.ts',
      args: ['models'],
      areas: ['llm'],
      files: ['proofs/clients/models/**'],
      minutes: 30,
    },
    'clients:openai': {
      about: 'OpenAI’s SDKs for Go, Python and Node read hard streams and errors',
      after: 'streams or errors of the model proxy',
      program: 'proofs/clients.ts',
      args: ['openai'],
      areas: ['llm'],
      files: ['proofs/clients/openai/**'],
      minutes: 4,
      needs: 'Go and Python',
    },
    'clients:mcp': {
      about: 'clients of MCP connect, sign in and call tools',
      after: 'the MCP area, or OAuth',
      program: 'proofs/clients.ts',
      args: ['mcp'],
      areas: ['mcp', 'oauth'],
      files: ['proofs/clients/mcp/**'],
      minutes: 5,
      needs: 'Java, Maven, Go and Chromium',
    },
    'clients:connect': {
      about: 'the lines of the Connect page work when they are pasted into a shell',
      after: 'the Connect page, MCP or OAuth',
      program: 'proofs/clients.ts',
      args: ['connect'],
      areas: ['mcp', 'oauth'],
      minutes: 2,
      needs: 'Chromium',
    },
  },
  Machines: {
    agents: {
      about: 'every runtime that ships works in a machine of the local service',
      after: '`agent/`, or the version of a runtime',
      program: 'proofs/agents.ts',
      starts: ['proofs/agents/one.ts', 'agent/main.ts', 'agent/runtime/main.ts'],
      files: ['agent/runtimes/**'],
      minutes: 30,
    },
    'agent-mcp': {
      about: 'the reference agent uses published MCP servers',
      after: 'MCP in the reference agent',
      program: 'proofs/agent-mcp.ts',
      starts: ['agent/runtime/main.ts'],
      minutes: 3,
      needs: 'Chromium',
    },
    'agent-tasks': {
      about: 'the reference agent does the tasks of test/agent/evaluation',
      after: 'the reference agent',
      program: 'proofs/agent-tasks.ts',
      starts: ['agent/runtime/main.ts'],
      minutes: 3,
    },
    images: {
      about: 'the images of machines build, and run as on Fargate',
      after: '`agent/image`, the Dockerfile, or a runtime',
      program: 'proofs/images.ts',
      files: [
        'agent/Dockerfile*',
        'agent/image/**',
        'agent/package*.json',
        'agent/runtimes/*/*.json',
        'proofs/images/**',
      ],
      minutes: 30,
      needs: 'root, mmdebstrap, libfuse 3, buildah, skopeo, docker-registry and soci',
    },
  },
  'Chat platforms and receivers': {
    deliveries: {
      about: 'each message has one run, and each reply one place, in a million deliveries of chat platforms',
      after: '`app/channels`',
      program: 'proofs/deliveries.ts',
      minutes: 5,
    },
    'channels:telegram': {
      about: 'a bot of grammY works at the emulator of Telegram',
      after: 'the emulator of Telegram',
      program: 'proofs/channels.ts',
      args: ['telegram'],
      minutes: 1,
      nightly: true,
    },
    discord: {
      about: 'Discord’s own libraries accept our signatures and our emulator',
      after: 'the Discord adapter or emulator',
      program: 'proofs/discord.ts',
      minutes: 1,
      nightly: true,
    },
    slack: {
      about: 'Slack’s own libraries accept our signatures and our emulator',
      after: 'the Slack adapter or emulator',
      program: 'proofs/slack.ts',
      minutes: 1,
      nightly: true,
    },
    sockets: {
      about: 'no message is lost on 500 connections that are cut, revoked and restarted',
      after: 'the socket',
      program: 'proofs/sockets.ts',
      areas: ['socket', 'push'],
      minutes: 8,
    },
    webhooks: {
      about: 'published receivers of webhooks accept our signatures',
      after: 'signatures of webhooks',
      program: 'proofs/webhooks.ts',
      areas: ['webhook-sender'],
      minutes: 1,
      nightly: true,
    },
  },
  'The cloud and its emulators': {
    'cloud:store': {
      about: 'the adapters and operations work on Amazon’s DynamoDB Local, at the same cost',
      after: '`adapters/dynamo`',
      program: 'proofs/cloud.ts',
      args: ['store'],
      files: ['adapters/dynamo/**', 'test/adapters/engine.ts'],
      minutes: 5,
      needs: 'Java and Maven',
    },
    'cloud:service': {
      about: 'the whole service works on Amazon’s DynamoDB Local',
      after: '`adapters/dynamo`, or `local/dynamodb`',
      program: 'proofs/cloud.ts',
      args: ['service'],
      files: ['adapters/dynamo/**', 'local/dynamodb/*.ts'],
      minutes: 5,
      needs: 'Java and Maven',
    },
    functions: {
      about: 'every function works in Lambda’s own runtime',
      after: 'handlers of `lambdas/kit`, or bundling',
      program: 'proofs/functions.ts',
      starts: [...handlers, 'adapters/connect.ts', 'lib/build/esbuild.ts'],
      files: ['lambdas/areas.ts', 'lambdas/*/index.ts', 'package-lock.json'],
      minutes: 25,
      needs: 'a compiler of C++ and CMake',
      nightly: true,
    },
    template: {
      about: 'the templates have no finding of cfn-lint, Checkov or cdk-nag without a reason',
      after: '`lib/`',
      program: 'proofs/template.ts',
      minutes: 3,
      nightly: true,
    },
    ministack: {
      about: 'both stacks are created, updated from the last release, and created again after a failure, in ministack',
      after: '`lib/`',
      program: 'proofs/ministack.ts',
      minutes: 1,
    },
    machines: {
      about: 'the driver of machines works against moto',
      after: 'the driver of machines',
      program: 'proofs/machines.ts',
      minutes: 1,
      nightly: true,
    },
    redrive: {
      about: 'dead letters are put back, against moto',
      after: '`npm run admin -- redrive`',
      program: 'proofs/redrive.ts',
      starts: ['bin/admin.ts'],
      minutes: 2,
    },
    rotation: {
      about: 'the API accepts CloudFront’s key at each step of a rotation, against moto',
      after: '`npm run admin -- rotate`',
      program: 'proofs/rotation.ts',
      starts: ['bin/admin.ts'],
      minutes: 2,
    },
    deploy: {
      about: 'a deployment works, and each failure names the command that completes it, against moto',
      after: '`npm run deploy`, or a rollback',
      program: 'proofs/deploy.ts',
      starts: ['bin/deploy.ts', 'bin/rollback.ts', 'proofs/deploy/cdk.ts', ...deployment],
      minutes: 9,
    },
    'deploy-guide': {
      about: 'each command of docs/deploy.md works in a fresh clone',
      after: 'docs/deploy.md, or a command that it names',
      program: 'proofs/deploy-guide.ts',
      starts: ['bin/deploy.ts', 'bin/doctor.ts', 'proofs/deploy/cdk.ts'],
      files: ['docs/deploy.md'],
      minutes: 15,
    },
    destroy: {
      about: 'a stage is removed, with or without its data, against moto',
      after: '`npm run destroy`',
      program: 'proofs/destroy.ts',
      starts: ['bin/destroy.ts', ...deployment],
      minutes: 2,
    },
    doctor: {
      about: 'the check of a stage finds each gap, against moto',
      after: '`npm run doctor`',
      program: 'proofs/doctor.ts',
      starts: ['bin/doctor.ts'],
      minutes: 2,
    },
    drill: {
      about: 'the restore drill checks each restored table, against moto',
      after: '`npm run drill`',
      program: 'proofs/drill.ts',
      starts: ['bin/drill.ts'],
      minutes: 3,
    },
  },
  Measurements: {
    proxy: {
      about: 'latency and memory of the model proxy, next to a bare proxy, Portkey and LiteLLM',
      after: 'the model proxy',
      program: 'bench/proxy/run.ts',
      starts: ['bench/proxy/berth.ts', 'bench/proxy/bare.ts', 'bench/proxy/upstream.ts', 'bench/proxy/loopback.ts'],
      minutes: 4,
    },
    'llm-memory': {
      about: 'latency and memory of the model proxy, with the CPU share of each memory size of Lambda',
      after: 'the model proxy, or the memory of its function',
      program: 'bench/llm-memory.ts',
      starts: ['bench/proxy/berth.ts', 'bench/proxy/upstream.ts'],
      minutes: 2,
      needs: 'root and cgroup v1',
    },
    footprint: {
      about: 'resident memory of the idle local service',
      after: 'what `npm start` loads',
      program: 'bench/footprint.ts',
      asScript: 'start',
      starts: ['agent/main.ts', 'agent/launcher.ts', 'agent/runtime/main.ts', 'gateway/main.ts'],
      files: [
        'local/**/*.ts',
        'emulators/*/*.ts',
        'emulators/*/!(dist|test)/*.ts',
        'package.json',
        'package-lock.json',
      ],
      minutes: 1,
      nightly: true,
    },
    'cold-start': {
      about: 'how long the code of each function takes to load',
      after: 'the packages or imports of functions',
      program: 'bench/cold-start.ts',
      starts: ['lib/build/esbuild.ts', 'lib/build/entry-points.ts'],
      files: ['lambdas/*/index.ts', 'package-lock.json'],
      minutes: 3,
    },
    'bundle-sizes': {
      about: 'the size of the Telegram adapter',
      after: 'the Telegram adapter',
      program: 'bench/bundle-sizes.ts',
      starts: ['adapters/telegram/telegram.ts'],
      minutes: 1,
      nightly: true,
    },
    dev: {
      about: 'how soon an edit is live under `npm run dev`',
      after: '`local/`',
      program: 'bench/dev.ts',
      files: ['local/**/*.ts'],
      minutes: 1,
    },
    push: {
      about: 'how long text takes from a model to a reader',
      after: 'drafts of replies, or the socket',
      program: 'bench/push.ts',
      areas: ['push', 'socket'],
      starts: ['agent/main.ts'],
      minutes: 4,
    },
    wake: {
      about: 'how long a paused instance takes to its first word',
      after: 'the reconciler, or the start of a machine',
      program: 'bench/wake.ts',
      areas: ['reconciler', 'sweeper'],
      starts: ['agent/main.ts'],
      minutes: 2,
    },
    'webhook-bursts': {
      about: 'how long a chat platform waits when a thousand updates come at once',
      after: 'the receivers of chat platforms',
      program: 'bench/webhook-bursts.ts',
      areas: ['channels'],
      minutes: 1,
    },
    'restore-points': {
      about: 'time and memory of restore points of 20 GiB in 100,000 files',
      after: 'restore points',
      program: 'bench/restore-points.ts',
      minutes: 25,
      needs: '25 GiB of disk',
    },
    dashboard: {
      about: 'a conversation of 10,000 messages in Chromium',
      after: 'the chat page, or the Markdown parser',
      program: 'bench/dashboard.ts',
      files: ['dashboard/chat/**', 'domain/markdown/**'],
      minutes: 3,
      needs: 'Chromium',
    },
  },
}

export const proofs: Readonly<Record<string, Proof>> = Object.assign({}, ...Object.values(groups))
