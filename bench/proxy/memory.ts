/** Answers every message of the parent with the bytes in use after a garbage collection: heap and buffers. */
export function tellMemory(): void {
  process.on('message', () => {
    global.gc?.()
    global.gc?.() // Freed buffers are counted only when the next collection begins.
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({ memory: heapUsed + external })
  })
}
