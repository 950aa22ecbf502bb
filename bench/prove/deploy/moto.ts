import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pythonWith } from '../tools/python.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

/** An independent emulator of AWS, of PyPI. */
export async function startMoto(): Promise<{ url: string; process: ChildProcess }> {
  const python = pythonWith('moto', [
    'moto[server,cloudformation,codebuild,dynamodb,ec2,ecr,ecs,efs,iam,s3,secretsmanager,sns,ssm]==5.2.5',
  ])
  const port = await freePort()
  const child = spawn(join(python, 'bin/moto_server'), ['-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (
      await fetch(`${url}/moto-api/`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, process: child }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
