/** The shape of every emulator. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** An emulated vendor: each package exports one. */
export interface Emulator<Options extends EmulatorOptions, Running extends RunningEmulator> {
  /** The vendor's name in small letters, which is also the name of its state file. */
  readonly name: string
  /** Resolves once the API answers. */
  start(options: Options): Promise<Running>
}

/** The options that all emulators have. */
export interface EmulatorOptions {
  /** The folder of the state, which then survives a restart; default: none, so each start has a new state. */
  stateFolder?: string
  /** The API's port on 127.0.0.1; default: any free port. */
  port?: number
  /** Receives a line about each problem; default: nobody does. */
  log?: (line: string) => void
}

export interface RunningEmulator {
  /** The origin of the API: `http://127.0.0.1:4242`. */
  readonly apiBase: string
  /** The addresses of the API, such as `POST /v1/refunds`. */
  readonly routes: readonly string[]
  stop(): Promise<void>
}

/** The options of an emulator with pages for browsers. */
export interface PagesOptions extends EmulatorOptions {
  /** The address of the pages on your server, without a slash at the end: `http://127.0.0.1:8080/slack`. */
  pagesUrl: string
}

export interface RunningPages extends RunningEmulator {
  /** Serves the pages below `pagesUrl`; false when the request is for something else. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}
