import {
  accessPoints,
  familiesOf,
  iamRoles,
  itemsOf,
  lambdaConcurrency,
  mailAccount,
  mailIdentity,
  parameter,
  runningVcpus,
  serviceQuota,
  subscriptionsOf,
} from '../../adapters/aws/deployment/account.ts'
import { drillParameter } from '../../lib/parameters.ts'
import { quotas } from '../../lib/reports/quotas.ts'
import { type Finding, well } from '../channels/setup.ts'
import { mayReserve, reservedByCode, reservedIn } from '../deploy/concurrency.ts'
import { accountChecks } from '../deploy/preflight.ts'
import { fargateVcpus, moreConcurrency, moreVcpus, productionMail, requestQuota } from '../deploy/quotas.ts'
import { type DoctorCheck, type DoctorContext, withinQuota } from './context.ts'

const drillDays = 90

export const awsChecks = (context: DoctorContext): DoctorCheck[] => [
  { name: 'stacks', look: () => stackStates(context) },
  { name: 'permission to send e-mail', look: () => sandbox(context) },
  { name: 'sender of e-mails', look: () => sender(context) },
  { name: 'vCPUs on Fargate Spot', look: () => vcpus(context, 'spot') },
  { name: 'vCPUs on Fargate', look: () => vcpus(context, 'onDemand') },
  { name: 'functions', look: () => concurrency(context) },
  { name: 'IAM roles', look: roles },
  { name: 'EFS access points', look: () => volumes(context) },
  {
    name: 'WebSocket connections that would reconnect within ten seconds',
    look: () => connections(context),
  },
  { name: 'task definitions that a new image registers in a day', look: () => families(context) },
  { name: 'recipients of pages', look: () => recipients(context, 'AlarmsPage') },
  { name: 'recipients of tickets', look: () => recipients(context, 'AlarmsTicket') },
  ...accountChecks(context.stage),
  { name: 'last restore drill', look: () => drill(context) },
]

async function stackStates({ stacks }: DoctorContext): Promise<Finding> {
  const wrong = Object.entries(stacks).filter(([, { status }]) => !/^(CREATE|UPDATE)_COMPLETE$/.test(status))
  const found = Object.entries(stacks).map(([name, { status }]) => `${name} ${status}`)
  return { found: found.join(', '), problem: wrong.length > 0 ? 'Deploy again, or roll back' : null }
}

async function sandbox({ stacks }: DoctorContext): Promise<Finding> {
  const { production, enabled, perDay, sentToday } = await mailAccount()
  if (!enabled)
    return { found: 'SES has stopped e-mails from this account', problem: 'Read the case in the SES console' }
  if (!production)
    return {
      found: 'in the sandbox: only verified addresses get a sign-in code',
      problem: productionMail(stacks.service.outputs.Origin ?? ''),
    }
  return withinQuota(sentToday, perDay, requestQuota('ses', 'L-804C8AE8', perDay * 2))
}

async function sender({ stage }: DoctorContext): Promise<Finding> {
  const { from } = stage.mail
  const domain = await mailIdentity(from.slice(from.indexOf('@') + 1))
  const found = domain ?? (await mailIdentity(from))
  if (!found?.verified)
    return {
      found: `${from} is not verified`,
      problem: 'Follow the link in AWS’s e-mail to that address, or create the DNS records',
    }
  if (domain && domain.dkim !== 'SUCCESS')
    return { found: `DKIM is ${domain.dkim}`, problem: 'Create the DNS records that the deployment printed' }
  return well(domain ? `${from}, with DKIM` : `${from}, verified by address, without DKIM`)
}

async function vcpus(context: DoctorContext, kind: keyof typeof fargateVcpus): Promise<Finding> {
  const code = fargateVcpus[kind]
  const used = await runningVcpus(named(context, 'AWS::ECS::Cluster'))
  const limit = await serviceQuota('fargate', code)
  return withinQuota(used[kind], limit, moreVcpus(code, Math.max(100, limit * 2)))
}

async function concurrency({ stage, stacks }: DoctorContext): Promise<Finding> {
  const { limit, unreserved } = await lambdaConcurrency()
  const reserved = reservedIn(stacks.service.template)
  const found = `${limit} concurrent executions: ${unreserved} unreserved, ${reserved} reserved for functions of this stage`
  if (!stage.reserves || reserved >= reservedByCode) return well(found)
  const problem = (await mayReserve(stacks.service.template))
    ? 'Deploy again: the account now has enough'
    : `${moreConcurrency()}; then deploy again`
  return { found, problem }
}

async function roles(): Promise<Finding> {
  const { used, limit } = await iamRoles()
  return withinQuota(used, limit, requestQuota('iam', 'L-FE177D64', 5_000))
}

async function volumes(context: DoctorContext): Promise<Finding> {
  const used = await accessPoints(named(context, 'AWS::EFS::FileSystem'))
  const limit = knownLimit('EFS access points of a file system')
  return withinQuota(used, limit, 'Request more from AWS in a support case')
}

async function connections(context: DoctorContext): Promise<Finding> {
  const used = await itemsOf(named(context, 'AWS::DynamoDB::Table', 'Tablesconnections'))
  const limit = knownLimit('New WebSocket connections in ten seconds')
  return withinQuota(used, limit, 'Request more new connections per second from AWS in a support case')
}

async function families({ stage }: DoctorContext): Promise<Finding> {
  return withinQuota(
    await familiesOf(`berth-${stage.name}-`),
    knownLimit('Registrations of task definitions a day'),
    'A new image needs more than a day to reach all machines, at one registration per second. Request more from AWS',
  )
}

async function recipients(context: DoctorContext, topicId: string): Promise<Finding> {
  const topic = named(context, 'AWS::SNS::Topic', topicId)
  if (topic === '') return { found: 'nobody receives alarms', problem: 'Set alarmMail in the stage’s file' }
  const all = await subscriptionsOf(topic)
  const waiting = all.filter(({ confirmed }) => !confirmed).map(({ endpoint }) => endpoint)
  if (waiting.length > 0)
    return {
      found: `${waiting.join(', ')} has not confirmed`,
      problem: 'Follow the link in AWS’s e-mail, or deploy again to get a new one',
    }
  return all.length > 0
    ? well(all.map(({ endpoint }) => endpoint).join(', '))
    : { found: 'nobody is subscribed', problem: 'Deploy again' }
}

async function drill({ stage }: DoctorContext): Promise<Finding> {
  const at = await parameter(drillParameter(stage.name))
  const days = at === null ? null : Math.floor((Date.now() - Date.parse(at)) / 86_400_000)
  const problem = `npm run drill -- --stage ${stage.name}`
  if (days === null) return { found: 'not yet run', problem }
  return { found: `${days} days ago`, problem: days > drillDays ? problem : null }
}

/** The name of the first resource of this type whose logical id has this beginning; empty without one. */
const named = ({ resources }: DoctorContext, type: string, id = ''): string =>
  resources.find((each) => each.type === type && each.id.startsWith(id))?.name ?? ''

/** The limit from docs/capacity.md of a quota whose use AWS does not report. @throws for an unknown name */
function knownLimit(name: string): number {
  const found = quotas.find((quota) => quota.name === name)
  if (!found) throw new Error(`no quota is called ${name}`)
  return found.limit
}
