import { type ChannelSetup, SetupError } from './setup.ts'

export const telegram: ChannelSetup = {
  async setup() {
    throw new SetupError('Telegram cannot be set up yet.')
  },
  async *doctor() {},
}
