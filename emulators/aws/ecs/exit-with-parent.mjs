import { Socket } from 'node:net'

// Loaded into a task's process before its own code. Descriptor 3 is a pipe whose other end lives in the service:
// when that end closes (even by kill -9), the whole process group of the task goes with it; of a container that runs apart,
// which has no group of that number, its first process. Not TypeScript, whose reader would be loaded into every task.
const lifeline = new Socket({ fd: 3, readable: true, writable: false })
lifeline.on('error', () => lifeline.destroy())
lifeline.on('close', () => {
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
})
lifeline.resume()
lifeline.unref()
