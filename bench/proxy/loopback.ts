import { Server } from 'node:net'

// Rivals listen on every interface; no program of a benchmark should.
const { listen } = Server.prototype
Server.prototype.listen = function (this: Server, ...given: unknown[]) {
  const [first] = given
  const callback = given.find((argument) => typeof argument === 'function')
  const port = typeof first === 'object' && first !== null && 'port' in first ? first.port : first
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, callback as () => void) // safe because it is a function or nothing
} as typeof listen // safe because every form of listen is answered
