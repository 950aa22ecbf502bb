import type { Part } from '../../../app/ports/part.ts'
import { wholeNumbers } from '../../../domain/money.ts'
import * as calls from '../calls.ts'

/** All writes next to a wallet must use this file: each number must be whole. @throws RangeError */
export const changeInput: typeof calls.changeInput = (wanted) => calls.changeInput(wholeNumbers(wanted))

/** @throws RangeError */
export const change: typeof calls.change = async (wanted, ...also) => calls.change(wholeNumbers(wanted), ...also)

/** @throws RangeError */
export const changed: typeof calls.changed = async (wanted, ...also) => calls.changed(wholeNumbers(wanted), ...also)

/** @throws RangeError */
export const putInput = (table: string, record: object) => calls.putInput(table, 'item', wholeNumbers(record))

/** @throws RangeError */
export const putNew = async (table: string, record: object, ...also: Part[]): Promise<calls.Written> =>
  calls.putNew(table, 'item', wholeNumbers(record), ...also)
