import type { Texts } from '../en/index.ts'
import { chat } from './chat.ts'
import { common } from './common.ts'
import { files } from './files.ts'
import { layout } from './layout.ts'
import { palette } from './palette.ts'

export const de: Texts = { chat, common, files, layout, palette }
