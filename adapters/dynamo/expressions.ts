import type { tables } from './tables.ts'

/**
 * An item's table and key. Expressions on the item may name its `Attribute`s and those of `tables`. Only the compiler
 * reads `attributes`.
 */
interface ItemAt<Attribute extends string> {
  table: string
  key: Readonly<Record<string, string>>
  attributes?: readonly Attribute[]
}

/** Without attributes if expressions name only keys, or names that are made at run time. */
export const itemAt = <Attribute extends string = never>(
  table: string,
  key: Readonly<Record<string, string>>,
): ItemAt<Attribute> => ({ table, key })

/** `#name` in an expression stands for the attribute `name`, unless `names` maps it. */
export interface Expressions<
  Attribute extends string = string,
  Text extends string = string,
  Name extends `#${string}` = `#${string}`,
> extends ItemAt<Attribute> {
  update?: Text
  condition?: Text
  values?: Readonly<Record<`:${string}`, unknown>>
  names?: Readonly<Record<Name, string>>
}

/**
 * A write whose expressions the compiler checks. An expression is a template: its literal names must be attributes of
 * the item; a hole (`#${name}`) may contain other names.
 */
export type Checked<Wanted, Also extends unknown[], Result> = <
  Attribute extends string = never,
  const Text extends string = string,
  const Name extends `#${string}` = never,
>(
  wanted: Wanted & Expressions<Attribute, Text, Name> & Known<Text, `#${Attribute | TableAttribute}` | Name>,
  ...also: Also
) => Result

/** A clause such as ` REMOVE #a, #b`; empty without parts. */
export const clause = <Word extends 'SET' | 'REMOVE', Part extends string>(word: Word, parts: readonly Part[]) =>
  // safe because these are the parts in the clause
  parts.length > 0 ? (` ${word} ${parts.join(', ')}` as ` ${Word} ${Part}`) : ''

/** Checks parts of expressions that another function completes. */
export const checked: Checked<object, [], Expressions> = (parts) => parts

type Known<Text extends string, Name extends string> = [UnknownIn<Text, Name>] extends [never]
  ? unknown
  : { unknownAttribute: UnknownIn<Text, Name> }

export type UnknownIn<Text extends string, Name extends string> = string extends Text
  ? 'an expression must be a literal or a template'
  : Exclude<NamesIn<Text>, Name>

type NamesIn<Text extends string> = Text extends `${string}#${infer Rest}`
  ? Literal<`#${Until<Until<Until<Until<Until<Rest, ' '>, ','>, ')'>, '.'>, '\n'>}`> | NamesIn<Rest>
  : never

type Until<Text extends string, End extends string> = Text extends `${infer Word}${End}${string}` ? Word : Text

/** Never for a template with a hole. */
type Literal<Name extends string> = Record<never, unknown> extends Record<Name, unknown> ? never : Name

type KeyOf<Shape> = Shape extends { partition: infer Partition extends string }
  ?
      | Partition
      | (Shape extends { sort: infer Sort extends string } ? Sort : never)
      | (Shape extends { indexes: infer Indexes } ? KeyOf<Indexes[keyof Indexes]> : never)
  : never

/** Keys of tables and indexes, and the time of expiry. */
type TableAttribute = KeyOf<(typeof tables)[keyof typeof tables]> | 'ttl'
