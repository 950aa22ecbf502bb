import {
  availabilityZones,
  distributions,
  lambdaConcurrency,
  mailAccount,
  mayReadBudgets,
  serviceQuota,
} from '../../adapters/aws/deployment/account.ts'
import type { Stage } from '../../lib/stage.ts'
import { type Finding, well } from '../channels/setup.ts'
import {
  armBuilds,
  billingAccess,
  fargateVcpus,
  moreBuilds,
  moreConcurrency,
  moreVcpus,
  productionMail,
  verifyForCloudFront,
} from './quotas.ts'
import { Stop, say } from './stop.ts'

interface PreflightFinding extends Finding {
  /** Whether the deployment would fail or the stage would be of no use. */
  stops?: boolean
}

interface PreflightCheck {
  name: string
  look(): Promise<PreflightFinding>
}

/** Below this, open connections and the jobs of every minute take all executions. */
const leastConcurrency = 100
/** A new account has six. */
const fewVcpus = 16

/**
 * Checks what AWS must have granted before a stage can be deployed and used. It changes nothing.
 * @throws Stop unless `anyway`
 */
export async function preflight(stage: Stage, anyway: boolean): Promise<void> {
  say('Checking the AWS account …')
  const checks = [...quotaChecks(stage), ...accountChecks(stage)]
  const findings = await Promise.all(
    checks.map(async ({ name, look }) => ({ name, ...(await look().catch(notChecked)) })),
  )
  for (const { name, found, problem, stops } of findings)
    say(
      `  ${problem === null ? 'ok  ' : stops ? 'stop' : 'warn'}  ${name}: ${found}${problem === null ? '' : `. ${problem}`}`,
    )
  const stopping = findings.filter(({ stops }) => stops).map(({ name }) => name)
  if (stopping.length === 0 || anyway) return
  throw new Stop(
    `AWS has not yet granted what this stage needs: ${stopping.join(', ')}. Nothing was changed. Run this again when AWS has, or deploy nevertheless with --anyway.`,
  )
}

/** A check that fails is no reason to stop: the credentials may lack the right to look. */
const notChecked = (error: unknown): PreflightFinding => {
  const isDenied = error instanceof Error && /AccessDenied|NotAuthorized|UnauthorizedOperation/.test(error.name)
  return {
    found: isDenied ? 'not checked: these credentials may not look' : 'not checked',
    problem: error instanceof Error ? error.message : String(error),
  }
}

/** The doctor compares these quotas with their use instead. */
const quotaChecks = (stage: Stage): PreflightCheck[] => [
  { name: 'Lambda concurrency', look: () => concurrency(stage) },
  { name: 'vCPUs on Fargate Spot', look: () => vcpus(fargateVcpus.spot) },
  { name: 'vCPUs on Fargate', look: () => vcpus(fargateVcpus.onDemand) },
  { name: 'permission to send e-mail', look: () => mail(stage) },
]

export const accountChecks = (stage: Stage): PreflightCheck[] => [
  { name: 'CodeBuild', look: () => builds(stage) },
  { name: 'CloudFront', look: cloudFront },
  { name: 'budget', look: () => budget(stage) },
  { name: 'availability zones', look: () => zones(stage) },
]

async function concurrency({ disposable }: Stage): Promise<PreflightFinding> {
  const { limit } = await lambdaConcurrency()
  const found = `${limit} concurrent executions`
  if (limit >= leastConcurrency) return well(found)
  return {
    found,
    problem: `Each open page and each connected client takes one, so a few people would block all others. ${moreConcurrency()}`,
    stops: !disposable,
  }
}

async function vcpus(code: string): Promise<PreflightFinding> {
  const limit = await serviceQuota('fargate', code)
  if (limit >= fewVcpus) return well(`${limit}`)
  return {
    found: `${limit}`,
    problem: `No more machines can be awake at a time. ${moreVcpus(code, 100)}`,
    stops: limit === 0,
  }
}

async function mail({ domain, origin }: Stage): Promise<PreflightFinding> {
  const { production } = await mailAccount()
  if (production) return well('to every address')
  const website = origin ?? (domain ? `https://${domain.name}` : 'https://<your website>')
  return { found: 'in the sandbox: only verified addresses get a sign-in code', problem: productionMail(website) }
}

async function builds({ imageVersion, discordGateway }: Stage): Promise<PreflightFinding> {
  if (imageVersion !== undefined && !discordGateway) return well('not needed: you push the image')
  const limit = await serviceQuota(armBuilds.service, armBuilds.code)
  const found = `${limit} concurrent builds (ARM/Small)`
  if (limit > 0) return well(found)
  return { found, problem: `The machines’ image cannot be built. ${moreBuilds()}`, stops: true }
}

async function cloudFront(): Promise<PreflightFinding> {
  if ((await distributions()) > 0) return well('this account already has a distribution')
  return {
    found: 'no distribution yet',
    problem: `AWS must verify a new account before it can create one, and no API tells whether it has. If the deployment fails with “must be verified”: ${verifyForCloudFront}`,
  }
}

async function budget({ account = '', budgetDollars }: Stage): Promise<PreflightFinding> {
  if (!budgetDollars) return well('none')
  if (await mayReadBudgets(account)) return well('these credentials may read budgets')
  return { found: 'no access to billing', problem: `The budget might not be created. ${billingAccess}` }
}

async function zones({ zones: pinned = [], region, name }: Stage): Promise<PreflightFinding> {
  if (pinned.length === 0) return well('not pinned')
  const usable = await availabilityZones()
  const missing = pinned.filter((zone) => !usable.has(zone))
  if (missing.length === 0) return well(pinned.join(', '))
  return {
    found: `${region} has no ${missing.join(', ')}`,
    problem: `Name other zones in stages/${name}: aws ec2 describe-availability-zones --query AvailabilityZones[].ZoneId`,
    stops: true,
  }
}
