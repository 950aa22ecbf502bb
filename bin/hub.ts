import { hub } from '../lambdas/hub/handler.ts'

/** Time a stopping hub gives the streams under way, ms: a task is killed two minutes after it was told to stop. */
const graceMs = 110_000

const port = Number(process.env.PORT ?? 8080)
hub.server.listen(port, process.env.HOST ?? '127.0.0.1', () => console.log(`Hub on port ${port}`))
process.once('SIGTERM', () => {
  hub.close(graceMs).then(
    () => process.exit(),
    () => process.exit(1),
  )
})
