import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ListQueuesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { readMessage, type Undelivered } from '../../domain/operator/undelivered.ts'
import { iso } from '../../domain/time.ts'

/** Visibility timeout of messages, seconds: the maximum time of a run. */
const hiddenSeconds = 900

const most = 1_000

export interface Waiting {
  id: string
  sentAt: string
  letter: Undelivered
  remove(): Promise<void>
  /** Makes the message visible again. */
  release(): Promise<void>
}

/** Reads the stage's dead letters and hides them until they are released or removed. @throws without a queue */
export async function readQueues(stage: string): Promise<Waiting[]> {
  const sqs = new SQSClient({ maxAttempts: 5 })
  const { QueueUrls = [] } = await sqs.send(
    new ListQueuesCommand({ QueueNamePrefix: `berth-${stage}-`, MaxResults: 1_000 }),
  )
  // CloudFormation puts the stack's name into the queue's name.
  const urls = QueueUrls.filter((url) => new RegExp(`/berth-${stage}-(service|state)-[^/]*Undelivered[^/]*$`).test(url))
  if (urls.length === 0)
    throw new Error(
      `There is no dead-letter queue of the stage ${stage} here. Choose the account with AWS_PROFILE and AWS_REGION.`,
    )
  return (await Promise.all(urls.map((url) => readQueue(sqs, url)))).flat()
}

async function readQueue(sqs: SQSClient, url: string): Promise<Waiting[]> {
  const found: Waiting[] = []
  while (found.length < most) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: 1,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    )
    if (Messages.length === 0) break
    found.push(...Messages.map((message) => waiting(sqs, url, message)))
  }
  return found
}

function waiting(sqs: SQSClient, QueueUrl: string, message: Message): Waiting {
  const { MessageId: id = '', Body: body = '', ReceiptHandle, Attributes, MessageAttributes = {} } = message
  const attributes = Object.fromEntries(
    Object.entries(MessageAttributes).flatMap(([name, { StringValue }]) => (StringValue ? [[name, StringValue]] : [])),
  )
  return {
    id,
    sentAt: iso(Number(Attributes?.SentTimestamp ?? 0)),
    letter: readMessage({ body, attributes }),
    remove: async () => void (await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))),
    release: async () =>
      void (await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))),
  }
}
