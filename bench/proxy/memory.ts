/** Answers every message of the parent with the bytes in use after a collection of garbage: heap and buffers. */
export function tellMemory(): void {
  process.on('message', () => {
    global.gc?.()
    global.gc?.() // What buffers gave back is counted when the next collection begins.
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({ memory: heapUsed + external })
  })
}
