/** Ends a command. The message says what is wrong and what to run next. */
export class Stop extends Error {}

/** Runs a command and prints its error in one line, because a stack trace would hide the message. */
export async function main(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
