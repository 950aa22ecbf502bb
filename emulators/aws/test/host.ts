import { startAwsEmulator } from '../emulator.ts'

// The emulator in a process of its own, for tests that kill that process.
const [dataDir = '', agent = ''] = process.argv.slice(2)
const cloud = await startAwsEmulator({
  dataDir,
  log: () => {},
  taskCommand: ({ command }) => ({ file: process.execPath, args: [agent, ...(command ?? [])], cwd: dataDir }),
  onEvent: () => {},
})
process.on('SIGTERM', () => void cloud.close())
console.log(cloud.env.AWS_ENDPOINT_URL_ECS)
