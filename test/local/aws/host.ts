import { startCloud } from '../../../local/aws/endpoints.ts'

// A cloud in a process of its own, for tests that take that process away.
const [dataDir = '', agent = ''] = process.argv.slice(2)
const cloud = await startCloud({
  dataDir,
  log: () => {},
  agentCommand: ({ command }) => ({ file: process.execPath, args: [agent, ...(command ?? [])], cwd: dataDir }),
  onEvent: () => {},
})
process.on('SIGTERM', () => void cloud.close())
console.log(cloud.env.AWS_ENDPOINT_URL_ECS)
