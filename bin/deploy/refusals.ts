import type { FailedResource } from '../../adapters/aws/deployment/stacks.ts'
import {
  billingAccess,
  fargateVcpus,
  moreBuilds,
  moreConcurrency,
  moreVcpus,
  moreVpcs,
  verifyForCloudFront,
} from './quotas.ts'

interface Refusal {
  /** AWS's text. */
  says: RegExp
  /** CloudFormation's type, where the text alone is ambiguous. */
  type?: RegExp
  remedy(failed: FailedResource): string
}

/** Refusals of AWS in the events of a stack. The first that matches counts. */
const refusals: Refusal[] = [
  {
    says: /must be verified before you can add new CloudFront resources/i,
    remedy: () => `AWS has not verified this account for CloudFront. ${verifyForCloudFront}. Then run this again.`,
  },
  {
    says: /Cannot have more than \d+ builds in queue/i,
    remedy: () => `CodeBuild allows this account no build now. ${moreBuilds()}. Then run this again.`,
  },
  {
    says: /decreases account's UnreservedConcurrentExecution/i,
    remedy: () =>
      `The account’s Lambda concurrency is too low for the stage’s reservations. npm run deploy leaves them out; with the CDK alone, add -c reserve=no. ${moreConcurrency()}.`,
  },
  {
    says: /service.linked role/i,
    type: /^AWS::ECS::/,
    remedy: () =>
      'The account lacks the service-linked role of ECS. Run: aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com. Then run this again.',
  },
  {
    says: /access ?denied|not authorized/i,
    type: /^AWS::Budgets::/,
    remedy: () => `This account’s roles may not create budgets. ${billingAccess}. Then run this again.`,
  },
  {
    says: /unable to assume|cannot be assumed|not authorized to assume|role .*(is invalid|does not exist)|CloudWatch Logs role ARN must be set/i,
    remedy: () => 'A service did not know a role yet that was only seconds old. Run this again.',
  },
  {
    // The other stack may be in use, so this must come before the advice to delete what is left over.
    says: /already exists in stack/i,
    remedy: ({ id, reason }) =>
      `${id} has the name of a resource of another stack, ${/already exists in stack (\S+)/i.exec(reason)?.[1] ?? 'which CloudFormation does not name'}. Do not delete the resource. If you no longer need that stack, delete the stack. Then run this again.`,
  },
  {
    says: /already exists/i,
    type: /^AWS::Logs::LogGroup$/,
    remedy: ({ reason }) =>
      `The log group remains from an earlier attempt. Delete it: aws logs delete-log-group --log-group-name ${named(reason) ?? '<its name>'}. Then run this again.`,
  },
  {
    says: /already exists|scheduled for deletion/i,
    type: /^AWS::SecretsManager::Secret$/,
    remedy: ({ reason }) =>
      `The secret remains from an earlier attempt. If the stage has never run, delete it: aws secretsmanager delete-secret --force-delete-without-recovery --secret-id ${named(reason) ?? '<its name>'}. Then run this again.`,
  },
  {
    says: /already exists/i,
    type: /^AWS::SES::EmailIdentity$/,
    remedy: () =>
      'SES already has this sender in this account and Region. Each stage needs another mailFrom. If no stage uses the sender, delete it: aws sesv2 delete-email-identity --email-identity <address or domain>. Then run this again.',
  },
  {
    says: /already exists/i,
    remedy: ({ id }) =>
      `${id} has the name of a resource that is not in the stack. If it remains from an earlier attempt, delete it. Then run this again.`,
  },
  {
    says: /maximum number of VPCs/i,
    remedy: () => `The account has no room for another VPC in this Region. ${moreVpcs()}. Then run this again.`,
  },
  {
    says: /vCPU|RESOURCE:FARGATE/i,
    type: /^AWS::ECS::/,
    remedy: () =>
      `The account’s Fargate quota is used up. ${moreVcpus(fargateVcpus.onDemand, 100)}. Then run this again.`,
  },
  {
    says: /capacity is (un|not )available|insufficient capacity/i,
    type: /^AWS::ECS::/,
    remedy: () => 'Fargate has no capacity in these zones now. Run this again in an hour.',
  },
]

/** The name in a reason such as `Resource of type '…' with identifier 'x' already exists`, or `x already exists`. */
const named = (reason: string): string | undefined => {
  const [, first, second] =
    /identifier '\{?"?(?:[^'"]*"\s*:\s*")?([^'"}]+)|([\w/.+-]+) already exists/.exec(reason) ?? []
  return first ?? second
}

/** The remedies for failed resources that AWS refused for a known reason, each once. */
export const remediesFor = (failed: readonly FailedResource[]): string[] => [
  ...new Set(
    failed.flatMap((each) => {
      const known = refusals.find(({ says, type }) => says.test(each.reason) && (type?.test(each.type) ?? true))
      return known ? [known.remedy(each)] : []
    }),
  ),
]
