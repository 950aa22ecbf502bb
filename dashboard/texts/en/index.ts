import { chat } from './chat.ts'
import { common } from './common.ts'
import { files } from './files.ts'
import { layout } from './layout.ts'
import { palette } from './palette.ts'

export const en = { chat, common, files, layout, palette }

/** Every language has each of the English texts, by the same name and of the same arguments. */
export type Texts = Widened<typeof en>

type Widened<T> = T extends string
  ? string
  : T extends (...given: never) => unknown
    ? T
    : { [K in keyof T]: Widened<T[K]> }
