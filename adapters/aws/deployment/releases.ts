/** A stage's stored releases, for rollbacks. The SDK finds credentials and Region. */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  DeleteParameterCommand,
  PutParameterCommand,
  paginateGetParametersByPath,
  SSMClient,
} from '@aws-sdk/client-ssm'
import * as z from 'zod'

const release = z.object({
  /** Time of deployment, ISO 8601 UTC. Releases sort by it. */
  at: z.iso.datetime(),
  /** The release's name in its template, 16 hexadecimal digits. */
  id: z.string(),
  /** Empty if unknown. */
  commit: z.string(),
  /** The template in the CDK's asset bucket: `s3://bucket/key`. */
  template: z.string().regex(/^s3:\/\/[^/]+\/.+$/),
  /** The CDK manifest's version, and the stack's part of the manifest. */
  manifest: z.object({ version: z.string(), artifact: z.record(z.string(), z.unknown()) }),
})
export type Release = z.infer<typeof release>

/** Parameter names must not contain colons. */
const nameOf = (path: string, { at }: Release): string => `${path}/${at.replaceAll(':', '-')}`

/** Newest first. */
export async function releases(path: string): Promise<Release[]> {
  const found: Release[] = []
  for await (const { Parameters = [] } of paginateGetParametersByPath({ client: new SSMClient() }, { Path: path }))
    for (const { Value = '' } of Parameters) found.push(release.parse(JSON.parse(Value)))
  return found.sort((a, b) => (a.at < b.at ? 1 : -1))
}

/** Stores a release. Deletes all but the newest `kept`, and older notes of the same release. */
export async function noteRelease(path: string, noted: Release, kept: number): Promise<void> {
  await new SSMClient().send(
    new PutParameterCommand({ Name: nameOf(path, noted), Value: JSON.stringify(noted), Type: 'String' }),
  )
  const older = (await releases(path)).filter(({ at }) => at !== noted.at)
  const same = older.filter(({ id }) => id === noted.id)
  const tooMany = older.filter(({ id }) => id !== noted.id).slice(kept - 1)
  for (const old of [...same, ...tooMany]) await forgetRelease(path, old)
}

export async function forgetRelease(path: string, forgotten: Release): Promise<void> {
  await new SSMClient().send(new DeleteParameterCommand({ Name: nameOf(path, forgotten) }))
}

/** JSON. */
export async function releasedTemplate({ template }: Release): Promise<string> {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(template) ?? []
  const { Body } = await new S3Client().send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return (await Body?.transformToString()) ?? ''
}
