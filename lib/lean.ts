import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ImportKind, Plugin, PluginBuild } from 'esbuild'

const dependenciesOf = (name: string) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))

/** What takes the place of a module in every function. */
interface Instead {
  /** The module as its importers name it. */
  module: RegExp
  contents: string
  /** Whose dependencies `contents` may import. */
  from?: string
  /** Only where it is imported so. */
  kind?: ImportKind
  /** Only where these import it. */
  by?: RegExp
}

const instead: Instead[] = [
  {
    // Lambda gives a function its role's credentials in the environment: no profile, sign-in or metadata service.
    module: /^@aws-sdk\/credential-provider-node$/,
    contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'",
    from: '@aws-sdk/credential-provider-node',
  },
  {
    // The validator of forms that a server may ask its client to fill in; ours asks for none. It is half the library.
    module: /^@modelcontextprotocol\/server\/_shims$/,
    contents:
      "export class DefaultJsonSchemaValidator { getValidator() { throw new Error('there is no validator in this build') } }\n" +
      'export const process = globalThis.process',
  },
  {
    // Finds a cell's own address, which only other stores than ours want; a client of the tables is made with it.
    module: /^@aws-sdk\/middleware-endpoint-discovery$/,
    contents:
      'export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector() {}, configFileSelector() {}, default: false }\n' +
      'export const resolveEndpointDiscoveryConfig = (config) => config',
  },
  {
    // Signs for several Regions at once; ours are asked one at a time.
    module: /^@aws-sdk\/signature-v4-multi-region$/,
    contents: "export { SignatureV4 as SignatureV4MultiRegion } from '@smithy/signature-v4'",
    from: '@aws-sdk/signature-v4-multi-region',
    by: /client-eventbridge/,
  },
  {
    // What an operation loads when it answers an event stream; none that we ask does.
    module: /^@smithy\/core\/event-streams$/,
    contents: "throw new Error('there are no event streams in this build')",
    kind: 'dynamic-import',
  },
]

/** What the adapters ask of Stripe's client, by the name of its module; the library has some 250 of them. */
export const stripeResources = [
  'BillingPortal/index',
  'BillingPortal/Sessions',
  'Charges',
  'Customers',
  'Disputes',
  'InvoiceItems',
  'InvoicePayments',
  'Invoices',
  'PaymentMethods',
  'Prices',
  'Refunds',
  'SubscriptionSchedules',
  'Subscriptions',
] as const

const kept: ReadonlySet<string> = new Set(stripeResources)

/** Every other part of the client is made all the same, so there is a class of its name, which can do nothing. */
const emptyStripe = (build: PluginBuild): void =>
  build.onLoad(
    { filter: /[\\/]stripe[\\/]esm[\\/](resources[\\/].*|StripeEventNotificationHandler)\.js$/ },
    ({ path }) => {
      const name = path.replaceAll('\\', '/').replace(/^.*\/esm\/(resources\/)?(.*)\.js$/, '$2')
      if (kept.has(name)) return undefined
      const classes = readFileSync(path, 'utf8').matchAll(/^export class (\w+)/gm)
      return { contents: [...classes].map(([, one]) => `export class ${one} {}`).join('\n') }
    },
  )

/** A client names its version with each request, and reads nothing else of its manifest. */
const versionOnly = (build: PluginBuild): void =>
  build.onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, ({ path }) => {
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string } // safe because a package cannot be published without one
    return { contents: JSON.stringify({ version }), loader: 'json' }
  })

/** Schemas as JSON are made when functions are built (`lib/bundle.ts`), never while they run. */
const noJsonSchemas = (build: PluginBuild): void =>
  build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors)\.js$/ }, ({ path }) => {
    const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:function|const) (\w+)/gm)].map(([, name]) => name)
    const refuse = "() => () => { throw new Error('schemas as JSON are made at build time') }"
    return { contents: names.map((name) => `export const ${name} = ${refuse}`).join('\n') }
  })

/**
 * The protocol's library lists a schema for every word of it by name, and asks whether a server was made with the easier
 * of its two classes; ours is not. Without both, and with making a schema marked as free of effects, esbuild leaves out
 * the schemas that no server reads and that class.
 */
const leanProtocol = (build: PluginBuild): void =>
  build.onLoad({ filter: /[\\/]@modelcontextprotocol[\\/].*\.mjs$/ }, ({ path }) => {
    const lines = readFileSync(path, 'utf8').split('\n')
    return { contents: lines.map(leanLine).join('\n') }
  })

function leanLine(line: string): string {
  if (/^\s*(\*|\/[*/])/.test(line)) return line
  if (/^for .*\bregister\(key, /.test(line)) return ''
  const known = line.replace(/\w+ instanceof McpServer\b/g, 'false')
  return known.replace(/(?<![\w$.@])(?=(?:z|\w+Schema)(?:\.\w+)+\()/g, '/* @__PURE__ */ ')
}

/** Leaves out of every function what it can never use, though its vendors' modules import it. */
export const lean: Plugin = {
  name: 'lean',
  setup(build) {
    emptyStripe(build)
    versionOnly(build)
    noJsonSchemas(build)
    leanProtocol(build)
    for (const [index, { module, contents, from, kind, by }] of instead.entries()) {
      const namespace = `lean-${index}`
      build.onResolve({ filter: module }, (asked) =>
        (kind && asked.kind !== kind) || (by && !by.test(asked.importer)) ? undefined : { path: asked.path, namespace },
      )
      build.onLoad({ filter: /.*/, namespace }, () => ({ contents, ...(from && { resolveDir: dependenciesOf(from) }) }))
    }
  },
}
