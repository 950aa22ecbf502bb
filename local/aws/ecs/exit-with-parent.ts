import { Socket } from 'node:net'

// Loaded into a task's process before its own code. Descriptor 3 is a pipe whose other end lives in the service:
// when that end closes (even by kill -9), the whole process group of the task goes with it.
const lifeline = new Socket({ fd: 3, readable: true, writable: false })
lifeline.on('error', () => lifeline.destroy())
lifeline.on('close', () => process.kill(-process.pid, 'SIGKILL'))
lifeline.resume()
lifeline.unref()
