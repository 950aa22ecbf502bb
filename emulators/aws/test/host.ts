import { awsEmulator } from '../emulator.ts'

// The emulator in a process of its own, for tests that kill that process.
const [stateFolder = '', agent = ''] = process.argv.slice(2)
const cloud = await awsEmulator.start({
  stateFolder,
  log: () => {},
  taskCommand: ({ command }) => ({ file: process.execPath, args: [agent, ...(command ?? [])], cwd: stateFolder }),
  onEvent: () => {},
})
process.on('SIGTERM', () => void cloud.stop())
console.log(cloud.env.AWS_ENDPOINT_URL_ECS)
