/** How to request a higher quota, in the console or with a command. */
export function requestQuota(service: string, code: string, value: number): string {
  // The quotas of global services are in us-east-1.
  const region = service === 'iam' ? 'us-east-1' : (process.env.AWS_REGION ?? 'us-east-1')
  return `Request more: https://${region}.console.aws.amazon.com/servicequotas/home/services/${service}/quotas/${code}, or aws service-quotas request-service-quota-increase --region ${region} --service-code ${service} --quota-code ${code} --desired-value ${value}`
}

/** Lambda concurrency, with what one stage needs. */
export const moreConcurrency = () => requestQuota('lambda', 'L-B99A9384', 1_000)
/** Builds of the kind that image-builds.ts uses. */
export const armBuilds = { service: 'codebuild', code: 'L-5ED1D25B' }
export const moreBuilds = () => requestQuota(armBuilds.service, armBuilds.code, 2)
export const fargateVcpus = { spot: 'L-36FBB829', onDemand: 'L-3032A538' }
export const moreVcpus = (code: string, value: number) => requestQuota('fargate', code, value)
export const moreVpcs = () => requestQuota('vpc', 'L-F678F1CE', 10)

/** No API and no command can do this without a paid support plan. */
export const verifyForCloudFront =
  'Open a support case, which is free: https://console.aws.amazon.com/support/home#/case/create (Account and billing). Write: "Please verify this account, so that it can create CloudFront distributions." AWS usually answers within one or two days'

export const billingAccess =
  'Sign in as the account’s root user, open https://console.aws.amazon.com/billing/home#/account, and activate “IAM user and role access to Billing information”. In an organization, its management account must allow budgets:ViewBudget and budgets:ModifyBudget. Or deploy the stage without a budget (docs/deploy.md#settings-of-a-stage)'

export const productionMail = (website: string): string =>
  `Request production access: https://${process.env.AWS_REGION}.console.aws.amazon.com/ses/home#/account, or aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url ${website} --use-case-description "Sign-in codes"`
