import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as z from 'zod'
import { imageFlavours, type RuntimeManifest } from '../domain/instance/runtime.ts'
import { readOperators } from '../domain/operator/operators.ts'
import { trialTerms } from '../domain/trial/terms.ts'
import { readRuntimes } from './build/runtimes.ts'
import { zoneCount, zoneProblems } from './machines/zones.ts'

const top = fileURLToPath(new URL('..', import.meta.url))

/** The settings of a stage: the default export of `stages/<name>.ts`, or the content of `stages/<name>.json`. */
const settings = z.strictObject({
  /** Deployments to any other account are refused. */
  account: z
    .string()
    .regex(/^\d{12}$/, 'the account’s twelve digits')
    .optional(),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a Region, such as eu-central-1')
    .optional(),
  /** Ids of the two availability zones of machines and volumes; default: the first two of the account. */
  zones: z
    .array(z.string().regex(/^[a-z]{2,5}\d-az\d$/, 'the id of a zone, such as euc1-az1'))
    .length(zoneCount, 'two zones')
    .optional(),
  /** Two characters that name account and Region in every token. */
  cell: z
    .string()
    .regex(/^[0-9A-Za-z]{2}$/, 'two letters or digits')
    .default('00'),
  /** The dashboard's domain, with an ACM certificate in us-east-1. */
  domain: z.strictObject({ name: z.hostname(), certificateArn: z.string().startsWith('arn:') }).optional(),
  /** The dashboard's origin (`https://…`), if it is neither the domain nor the distribution's address. */
  origin: z.url().optional(),
  /** The sender of all mail: a plain address. */
  mailFrom: z.email().optional(),
  /** The domain of `mailFrom`. With a Route 53 zone its DNS records are created, otherwise printed. */
  mailDomain: z
    .strictObject({
      name: z.hostname(),
      hostedZoneId: z
        .string()
        .regex(/^Z[A-Z0-9]+$/, 'Z and its letters')
        .optional(),
    })
    .optional(),
  /** The address for reports of abuse and security problems; default: `mailFrom`. */
  abuseMail: z.email().optional(),
  /** The recipient of alarms that cannot wait for the morning. */
  alarmMail: z.email().optional(),
  /** The recipient of all other alarms; default: `alarmMail`. */
  ticketMail: z.email().optional(),
  /**
   * Which of machines' connections the flow logs contain. `all` also helps to find the machine behind a report of abuse,
   * and costs more.
   */
  flowLogs: z.enum(['rejected', 'accepted', 'all']).default('rejected'),
  /**
   * The owner of the keys that encrypt the tables. AWS charges for the use of `aws-managed` keys, and records it in
   * CloudTrail.
   */
  tableKeys: z.enum(['aws-owned', 'aws-managed']).default('aws-owned'),
  /** Monthly cost of the account, US dollars, at which `alarmMail` is notified; default: `false`, no budget. */
  budgetDollars: z.union([z.literal(false), z.int().min(1)]).default(false),
  /** INFO logs a line for each request and job; ERROR only failures. */
  logLevel: z.enum(['INFO', 'ERROR']).default('INFO'),
  /** Days. */
  logDays: z.literal([1, 7, 14, 30, 90, 180, 365]).default(30),
  /** Runtimes besides the reference agent that users may choose; the image includes their programs. */
  runtimes: z.array(z.string()).default([]),
  /** Whether the listener for Discord's plain messages runs. */
  discordGateway: z.boolean().default(false),
  /** The GitHub repository, `owner/name`, and the environment whose jobs may deploy this stage; default: none. */
  pipeline: z
    .strictObject({
      repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'owner/name'),
      environment: z.string().regex(/^[\w.-]+$/, 'letters, digits, dots, hyphens'),
    })
    .optional(),
  /** E-mail addresses of operators, each optionally with `/pky_…`, the only passkey that is accepted. */
  operators: z
    .array(z.string())
    .default([])
    .transform((all, { addIssue }) => {
      try {
        return readOperators(all.join(','))
      } catch (error) {
        addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) })
        return z.NEVER
      }
    }),
  /** Maximum of one action in the console, US cents. */
  operatorMaxCents: z.int().min(1).max(1_000_000).default(10_000),
  /** Maximum per operator and UTC day of all actions in the console, US cents. */
  operatorMaxDayCents: z.int().min(1).max(10_000_000).default(50_000),
  /** Trials for people who have not paid yet; default: no trials. */
  trials: trialTerms
    .extend({
      creditMicros: trialTerms.shape.creditMicros.default(250_000),
      hours: trialTerms.shape.hours.default(24),
      perNetwork: trialTerms.shape.perNetwork.default(2),
      perDomain: trialTerms.shape.perDomain.default(20),
    })
    .refine(
      ({ budgetMicros, creditMicros }) => budgetMicros >= creditMicros,
      'budgetMicros is too little for one trial',
    )
    .optional(),
  /** Default: the smallest flavour that fits the runtimes, and no accepted licence. */
  image: z
    .strictObject({ flavour: z.enum(imageFlavours).optional(), acceptLicences: z.array(z.string()).default([]) })
    .prefault({}),
  /** Tag of an image that you pushed to the stage's repository; default: the agent's image is built. */
  imageVersion: z
    .string()
    .regex(/^\w[\w.-]{0,127}$/, 'a tag: letters, digits, dots, hyphens')
    .optional(),
  /** Names that machines cannot resolve, including their subdomains. */
  blockedDomains: z.array(z.hostname()).max(500).default([]),
  /** Ids of AWS's own block lists; they differ between Regions: `aws route53resolver list-firewall-domain-lists`. */
  dnsBlockLists: z
    .array(z.string().regex(/^rslvr-fdl-[\w-]{1,54}$/, 'the id of a domain list: rslvr-fdl-…'))
    .max(20)
    .default([]),
})

export type StageSettings = z.input<typeof settings>
export type Stage = ReturnType<typeof readStage>

/** The cost allocation tag; the account's owner must activate it. Machines carry it too. */
export const costTags = ({ name }: Pick<Stage, 'name'>) => ({ stage: name })

export class StageError extends Error {
  readonly problems: readonly string[]

  constructor(name: string, problems: readonly string[]) {
    super([`The stage ${name} cannot be deployed:`, ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.problems = problems
  }
}

/** The stage's name is part of every name in the template. */
const nameShape = /^[a-z][a-z0-9-]{0,15}$/

/**
 * @param name `local` is the laptop, `dev` is disposable, every other stage keeps its data
 * @throws StageError
 */
export function readStage(name: string, given: unknown) {
  if (!nameShape.test(name)) throw new StageError(name, ['its name: 1 to 16 lower-case letters, digits and hyphens'])
  const parsed = settings.safeParse(given)
  if (!parsed.success)
    throw new StageError(
      name,
      parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')),
    )
  const { data } = parsed
  const local = name === 'local'
  const disposable = local || name === 'dev'
  const carried = carriedRuntimes(data.runtimes)
  const flavour = data.image.flavour ?? smallestFlavour(carried)
  const { acceptLicences } = data.image
  const problems = [
    ...missingOf(data, { local, disposable }),
    ...otherDomain(data),
    ...zoneProblems(data.region, data.zones),
    ...unknownRuntimes(data.runtimes),
    ...(local || data.imageVersion !== undefined ? [] : misfits(carried, { flavour, acceptLicences })),
  ]
  if (problems.length > 0) throw new StageError(name, problems)
  const { account, region, cell, runtimes, domain, operators, mailFrom, alarmMail, discordGateway } = data
  const from = mailFrom ?? 'support@berth.example'
  return {
    name,
    account,
    region,
    /** Preflight checks that the account has them. */
    zones: data.zones,
    cell,
    runtimes,
    operators,
    operatorMaxCents: data.operatorMaxCents,
    operatorMaxDayCents: data.operatorMaxDayCents,
    trial: data.trials ?? null,
    local,
    /** Deleting the stacks deletes the data. */
    disposable,
    /** Whether functions reserve concurrency. Disposable stages do not: their account may have a limit of ten. */
    reserves: !disposable,
    discordGateway,
    pipeline: data.pipeline,
    version: packageVersion(),
    imageVersion: data.imageVersion,
    image: { flavour, acceptLicences },
    blockedDomains: data.blockedDomains,
    dnsBlockLists: data.dnsBlockLists,
    /** Without a trailing slash. */
    origin: data.origin?.replace(/\/$/, ''),
    domain,
    /** `verified` says whether the template asks SES to verify the domain or the address. */
    mail: {
      from,
      abuse: data.abuseMail ?? from,
      verified: mailFrom !== undefined,
      ...(data.mailDomain && { domain: data.mailDomain }),
    },
    alarmMail,
    ticketMail: data.ticketMail ?? alarmMail,
    budgetDollars: data.budgetDollars,
    flowLogs: data.flowLogs,
    tableKeys: data.tableKeys,
    logLevel: data.logLevel,
    logDays: data.logDays,
  }
}

/** Functions may send only from the identity of the address or of its domain. */
const otherDomain = ({ mailFrom, mailDomain }: z.output<typeof settings>): string[] =>
  mailDomain && mailFrom?.split('@')[1] !== mailDomain.name
    ? [`mailDomain: mailFrom is an address of it: …@${mailDomain.name}`]
    : []

/** The settings that this kind of stage requires but lacks. */
function missingOf(data: z.output<typeof settings>, { local, disposable }: { local: boolean; disposable: boolean }) {
  const purposes = {
    account: local ? '' : 'the account that it is deployed into: twelve digits',
    region: local ? '' : 'the Region that it is deployed into, such as eu-central-1',
    mailFrom: disposable ? '' : 'the address that mails come from: nobody can sign in without it',
    alarmMail: disposable ? '' : 'who is told about alarms: nobody would hear of one',
  }
  return Object.entries(purposes).flatMap(([key, text]) =>
    text !== '' && data[key as keyof typeof purposes] === undefined ? [`${key}: ${text}`] : [],
  )
}

const manifests = () => readRuntimes(join(top, 'agent/runtimes'))

const carriedRuntimes = (named: readonly string[]): RuntimeManifest[] =>
  manifests().filter(({ name }) => named.includes(name))

const smallestFlavour = (carried: readonly RuntimeManifest[]) =>
  imageFlavours.findLast((flavour) => carried.some(({ image }) => image === flavour)) ?? imageFlavours[0]

/** Problems on which the image's build would fail, found before the deployment changes anything. */
function misfits(carried: readonly RuntimeManifest[], { flavour, acceptLicences }: ImageContent): string[] {
  const rank = imageFlavours.indexOf(flavour)
  return carried.flatMap(({ name, title, image, redistributed, licence }) => [
    ...(imageFlavours.indexOf(image) > rank ? [`image: flavour: ${title} needs ${image}`] : []),
    ...(redistributed || acceptLicences.includes(name)
      ? []
      : [`image: acceptLicences: ${title} comes under its own licence (${licence}): name ${name} if you accept it`]),
  ])
}

type ImageContent = { flavour: (typeof imageFlavours)[number]; acceptLicences: readonly string[] }

function unknownRuntimes(named: readonly string[]): string[] {
  const known = manifests().map((each) => each.name)
  return named
    .filter((each) => !known.includes(each))
    .map((each) => `runtimes: there is no runtime ${each}. There are: ${known.join(', ')}`)
}

/** @throws StageError */
export async function loadStage(name: string, folder = join(top, 'stages')): Promise<Stage> {
  const file = ['ts', 'json'].map((end) => join(folder, `${name}.${end}`)).find((path) => existsSync(path))
  if (!nameShape.test(name) || !file) throw new StageError(name || '(none)', [noFile(folder)])
  const content: unknown = file.endsWith('.json')
    ? JSON.parse(readFileSync(file, 'utf8'))
    : (await import(pathToFileURL(file).href)).default
  return readStage(name, content)
}

function noFile(folder: string): string {
  const names = readdirSync(folder).map((file) => file.replace(/\.(ts|json)$/, ''))
  return `there is no file of this name in stages. There are: ${names.join(', ')}. Copy stages/example.ts to begin one`
}

function packageVersion(): string {
  const text = readFileSync(join(top, 'package.json'), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
