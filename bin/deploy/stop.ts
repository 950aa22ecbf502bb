/** The end of a command that cannot go on: what is wrong, and what to run next. */
export class Stop extends Error {}

/** Runs a command, and says in one line why it stopped: a trace of a missing credential or a wrong file would hide that. */
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
