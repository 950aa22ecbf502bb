import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { fixedId, newId } from './ids.ts'

export interface Command {
  name: string
  description: string
  options?: { type: number; name: string; description: string }[]
}

/** The bot's application: its keys, its commands and where its interactions go. */
export class Application {
  readonly id: string
  readonly name: string
  readonly botToken: string
  /** 64 hexadecimal digits. */
  readonly publicKey: string
  readonly privateKey: KeyObject
  interactionsUrl: string | null
  commands: (Command & { id: string })[] = []
  /** Whether it may see the text of messages that are not meant for it. */
  messageContent = true

  constructor({ name, interactionsUrl }: { name: string; interactionsUrl: string | null }) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    this.id = fixedId(`application ${name}`)
    this.name = name
    this.interactionsUrl = interactionsUrl
    this.privateKey = privateKey
    this.publicKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
    this.botToken = `${Buffer.from(this.id).toString('base64url')}.local.${this.publicKey.slice(0, 38)}`
  }

  setCommands(given: readonly Command[]): Command[] {
    this.commands = given.map((command) => {
      const id = this.commands.find(({ name }) => name === command.name)?.id ?? newId()
      return { ...command, id, application_id: this.id, type: 1, version: newId() }
    })
    return this.commands
  }

  present() {
    return {
      id: this.id,
      name: this.name,
      icon: null,
      description: '',
      bot_public: true,
      bot_require_code_grant: false,
      verify_key: this.publicKey,
      interactions_endpoint_url: this.interactionsUrl,
      flags: this.messageContent ? 1 << 19 : 0,
    }
  }
}
