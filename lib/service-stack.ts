import { Asset } from 'aws-cdk-lib/aws-s3-assets'
import { CfnOutput, CfnParameter, Fn, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { Variable } from '../adapters/registry.ts'
import { referenceRuntime } from '../domain/instance/reference-runtime.ts'
import { operatorsText } from '../domain/operator/operators.ts'
import { termsText } from '../domain/trial/terms.ts'
import { areas } from '../lambdas/areas.ts'
import { socketArea } from '../lambdas/socket/index.ts'
import { watched } from './alarms/alarm-list.ts'
import { Alarms } from './alarms/alarms.ts'
import { MetricsDashboard } from './alarms/metrics-dashboard.ts'
import { Api, apiStage } from './api/api.ts'
import { SocketApi } from './api/socket-api.ts'
import { mapsFolder } from './build/bundle.ts'
import { DiscordGateway } from './discord-gateway.ts'
import { Dashboard } from './edge/dashboard.ts'
import { Firewall } from './edge/firewall.ts'
import { deadLetterQueue } from './events/dead-letter-queue.ts'
import { JobRules } from './events/job-rules.ts'
import { followTables } from './events/table-changes.ts'
import { Functions } from './functions/functions.ts'
import { TrafficShift } from './functions/traffic-shift.ts'
import { Machines } from './machines/machines.ts'
import { MailIdentity } from './mail-identity.ts'
import { releaseParameter } from './stack-parameters.ts'
import { costTags, type Stage } from './stage.ts'
import type { StateStack } from './state-stack.ts'

/** All resources that the code alone defines. Deleting and recreating this stack loses nothing. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: { stage: Stage; state: StateStack; built: string }) {
    // CloudFormation's limit is 1 MB; indentation would be a third of the template.
    super(scope, id, { suppressTemplateIndentation: true, tags: costTags(props.stage) })
    const { stage, state, built } = props
    const { tables, secrets, network, volumes, bus, schedules } = state
    const machines = new Machines(this, 'Machines', stage, state)
    const deadLetters = deadLetterQueue(this, 'Undelivered')
    const api = new Api(this, 'Api', stage, areas)
    const socket = new SocketApi(this, 'Socket', stage)
    const dashboard = new Dashboard(this, 'Dashboard', {
      stage,
      apiHost: api.host,
      socketHost: socket.host,
      filesHost: state.filesBucket.bucket.bucketRegionalDomainName,
      built,
      edgeKey: secrets.byName['edge-key'],
    })

    const variables: Record<Variable, string> = {
      STAGE: stage.name,
      PUBLIC_ORIGIN: dashboard.origin,
      CELL: stage.cell,
      IMAGE_VERSION: this.#imageVersion('AgentVersion', stage, state.imageBuilds.tags.agent),
      LOG_LEVEL: stage.logLevel,
      BUS_NAME: bus.eventBusName,
      MAIL_FROM: stage.mail.from,
      ABUSE_MAIL: stage.mail.abuse,
      RUNTIMES: [referenceRuntime, ...stage.runtimes].join(','),
      OPERATORS: operatorsText(stage.operators),
      OPERATOR_MAX_CENTS: String(stage.operatorMaxCents),
      OPERATOR_MAX_DAY_CENTS: String(stage.operatorMaxDayCents),
      TRIAL: termsText(stage.trial),
      API_BASE: stage.local ? `${dashboard.origin}/${apiStage}` : api.base,
      SOCKET_API: socket.base,
      CLUSTER_ARN: machines.cluster.clusterArn,
      FILE_SYSTEM_ID: volumes.fileSystem.fileSystemId,
      FILE_SYSTEM_ARN: volumes.fileSystem.fileSystemArn,
      SUBNET_IDS: Fn.join(',', network.subnetIds),
      SECURITY_GROUP_ID: network.machines.securityGroupId,
      AGENT_IMAGE: machines.image,
      AGENT_LOG_GROUP: machines.logs.logGroupName,
      EXECUTION_ROLE_ARN: machines.executionRole.roleArn,
      TASK_BOUNDARY_ARN: machines.boundary.managedPolicyArn,
      MACHINE_ROLE_PATH: machines.rolePath,
      VARIABLES_KEY_ARN: state.variablesKey.keyArn,
      BUS_ARN: bus.eventBusArn,
      SCHEDULE_GROUP: schedules.group.scheduleGroupName,
      SCHEDULER_ROLE_ARN: schedules.role.roleArn,
      SCHEDULES_DEAD_LETTERS: schedules.deadLetters.queueArn,
      FILES_BUCKET: state.filesBucket.bucket.bucketName,
    }
    const resources = { tables: tables.byName, secrets: secrets.byName, variables, bus, machines, schedules, socket }
    const release = this.#release(stage)
    const functions = new Functions(this, 'Functions', { stage, areas, built, resources, deadLetters, release })
    api.invoke(areas, functions)
    socket.route(functions.of(socketArea))
    followTables(areas, functions, tables, deadLetters)
    new JobRules(this, 'Rules', { stage, areas, functions, bus, deadLetters })
    new Firewall(this, 'Firewall', { stage, api: api.rest.deploymentStage, edgeKey: secrets.byName['edge-key'] })
    new DiscordGateway(this, 'DiscordGateway', {
      stage,
      state,
      cluster: machines.cluster,
      apiBase: variables.API_BASE,
      image: this.#gatewayImage(stage, state),
    })
    new MailIdentity(this, 'Sender', stage)
    this.#say('Origin', dashboard.origin, 'Where browsers find the dashboard')
    this.#say('DistributionHost', dashboard.host, 'What the name of a domain of your own points to')
    this.#say('StripeWebhook', `${api.base}/webhooks/stripe`, 'Where Stripe sends its events')
    // For reading stack traces. The local service has the sources themselves.
    if (!stage.local) {
      const { s3ObjectUrl } = new Asset(this, 'Maps', { path: mapsFolder(built) })
      this.#say('SourceMaps', s3ObjectUrl, 'Turns a stack of these functions into lines of the sources')
    }
    this.#say('ApiLog', api.log.logGroupName, 'Where each request is logged')
    const queues = { functions: deadLetters, schedules: schedules.deadLetters }
    const all = watched({
      ...{ stage, areas, functions, socket },
      tables: tables.byName,
      deadLetters: queues,
      api: api.rest,
    })
    const alarms = new Alarms(this, 'Alarms', {
      ...{ stage, deadLetters },
      watched: all,
      distributionId: dashboard.distributionId,
    })
    new MetricsDashboard(this, 'Metrics', { stage, watched: all, alarms: [...alarms.all] })
    dashboard.publishAfter(functions.all)
    if (!stage.disposable) new TrafficShift(this, 'Shift', { areas, functions, alarms: alarms.ofReleases })
  }

  /** A hash of everything that a deployment gives the service; constant for the local service. */
  #release({ local }: Stage): string {
    if (local) return 'local'
    return new CfnParameter(this, releaseParameter, {
      description: 'Names what is deployed: its functions are published anew when it differs',
      allowedPattern: '^[0-9a-f]{16}$',
    }).valueAsString
  }

  /** `<tag>@<digest>`. The deployment looks up the digest, because a template cannot know it. */
  #imageVersion(id: string, { local }: Stage, tag: string): string {
    if (local) return tag
    return new CfnParameter(this, id, {
      description: 'Tag and digest of an image: <tag>@sha256:<digest>',
      allowedPattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*@sha256:[0-9a-f]{64}$',
    }).valueAsString
  }

  /** A stage without the listener has no image of it. */
  #gatewayImage(stage: Stage, { images, imageBuilds }: StateStack): string {
    const tag = imageBuilds.tags.gateway
    if (stage.local || !stage.discordGateway) return images.repositoryUriForTag(tag)
    const version = this.#imageVersion('GatewayVersion', stage, tag)
    return images.repositoryUriForDigest(Fn.select(1, Fn.split('@', version)))
  }

  #say(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description })
  }
}
