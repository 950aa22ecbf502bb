/** A stage's releases, stored so that it can run them again. The SDK finds credentials and Region. */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  DeleteParameterCommand,
  PutParameterCommand,
  paginateGetParametersByPath,
  SSMClient,
} from '@aws-sdk/client-ssm'
import * as z from 'zod'

const release = z.object({
  /** When it was deployed, ISO 8601 UTC; releases are in this order. */
  at: z.iso.datetime(),
  /** The commit; empty if unknown. */
  commit: z.string(),
  /** The service's template in the bucket of the CDK's assets: `s3://bucket/key`. */
  template: z.string().regex(/^s3:\/\/[^/]+\/.+$/),
  /** The template's parameters. */
  parameters: z.record(z.string(), z.string()),
  /** The CDK command line's facts about the stack: its manifest's version, and the stack's part of it. */
  manifest: z.object({ version: z.string(), artifact: z.record(z.string(), z.unknown()) }),
})
export type Release = z.infer<typeof release>

/** Letters that a parameter's name may have. */
const nameOf = (path: string, { at }: Release): string => `${path}/${at.replaceAll(':', '-')}`

/** Newest first. */
export async function releases(path: string): Promise<Release[]> {
  const found: Release[] = []
  for await (const { Parameters = [] } of paginateGetParametersByPath({ client: new SSMClient() }, { Path: path }))
    for (const { Value = '' } of Parameters) found.push(release.parse(JSON.parse(Value)))
  return found.sort((a, b) => (a.at < b.at ? 1 : -1))
}

/** Notes a release, and forgets all but the newest `kept`. */
export async function noteRelease(path: string, noted: Release, kept: number): Promise<void> {
  await new SSMClient().send(
    new PutParameterCommand({ Name: nameOf(path, noted), Value: JSON.stringify(noted), Type: 'String' }),
  )
  for (const old of (await releases(path)).slice(kept)) await forgetRelease(path, old)
}

export async function forgetRelease(path: string, forgotten: Release): Promise<void> {
  await new SSMClient().send(new DeleteParameterCommand({ Name: nameOf(path, forgotten) }))
}

/** The template of a release: JSON, as it was deployed. */
export async function releasedTemplate({ template }: Release): Promise<string> {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(template) ?? []
  const { Body } = await new S3Client().send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return (await Body?.transformToString()) ?? ''
}
