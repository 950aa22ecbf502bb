/** Why a tool did nothing, for the model. */
export class ToolError extends Error {
  override name = 'ToolError'
}

/** An action of the model. Errors other than ToolError and VolumeError are reported only as a failure. */
export interface Tool {
  description: string
  parameters: object
  /** The tool changes nothing, so calls may run in parallel. */
  readOnly?: boolean
  run(given: Arguments, stop: AbortSignal): Promise<string>
}

export type Tools = Readonly<Record<string, Tool>>

export const schema = (properties: Record<string, object>, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const string = (description: string) => ({ type: 'string', description })
export const integer = (description: string) => ({ type: 'integer', description })

/** A call's arguments. Every reader throws ToolError that names the fault. */
export class Arguments {
  readonly fields: Readonly<Record<string, unknown>>

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields
  }

  text(name: string, otherwise?: string): string {
    const value = this.fields[name] ?? otherwise
    if (value === undefined) throw new ToolError(`the argument "${name}" is missing`)
    if (typeof value !== 'string') throw new ToolError(`the argument "${name}" is not a text`)
    return value
  }

  /** At least 1. */
  count(name: string, otherwise: number): number {
    const value = this.fields[name] ?? otherwise
    const number = typeof value === 'string' ? Number(value) : value
    if (!Number.isSafeInteger(number) || Number(number) < 1)
      throw new ToolError(`the argument "${name}" is not a whole number from 1 on`)
    return Number(number)
  }

  flag(name: string): boolean {
    return this.fields[name] === true || this.fields[name] === 'true'
  }

  list(name: string): Arguments[] {
    const value = this.fields[name]
    if (!Array.isArray(value) || value.length === 0) throw new ToolError(`the argument "${name}" is not a list`)
    return value.map((item) => {
      if (typeof item !== 'object' || item === null) throw new ToolError(`"${name}" holds something that is no object`)
      return new Arguments(item)
    })
  }
}
