/**
 * Loaded before a program: counts its objects and reads, and sends the counts to its parent on the message `work`,
 * which also begins a new count.
 */
import { createHook } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { Stream } from 'node:stream'

/** Work by kind. */
export type Work = Record<'promises' | 'timers' | 'streams' | 'aborts' | 'parses' | 'texts' | 'copiedBytes', number>

const none: Work = { promises: 0, timers: 0, streams: 0, aborts: 0, parses: 0, texts: 0, copiedBytes: 0 }
let work = { ...none }

createHook({
  init: (_, type) => {
    if (type === 'PROMISE') work.promises++
    if (type === 'Timeout') work.timers++
  },
}).enable()

/** Calls `count` before each call of a method. */
function watch(owner: object, name: string, count: (...given: unknown[]) => void): void {
  const own = Reflect.get(owner, name)
  Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
    count.apply(this, given)
    return own.apply(this, given)
  })
}

watch(EventEmitter, 'init', function (this: unknown) {
  if (this instanceof Stream) work.streams++
})
watch(JSON, 'parse', () => work.parses++)
watch(JSON, 'stringify', () => work.texts++)
watch(Buffer, 'concat', (parts) => {
  for (const part of parts as Uint8Array[]) work.copiedBytes += part.length // safe because Buffer.concat takes no other list
})
for (const name of ['AbortController', 'ReadableStream', 'TransformStream', 'WritableStream'] as const) {
  const kind = name === 'AbortController' ? 'aborts' : 'streams'
  const construct = (target: new () => object, given: [], self: new () => object) => {
    work[kind]++
    return Reflect.construct(target, given, self)
  }
  Reflect.set(globalThis, name, new Proxy(globalThis[name] as new () => object, { construct }))
}
for (const name of ['timeout', 'any']) watch(AbortSignal, name, () => work.aborts++)

process.on('message', (asked) => {
  if (asked !== 'work') return
  process.send?.({ work })
  work = { ...none }
})
