import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { call } from './calls.ts'
import { database } from './client.ts'

/**
 * The names of all tables of the account and Region. For operators' commands; functions get their tables' names from
 * the environment.
 */
export async function listTables(): Promise<string[]> {
  const names: string[] = []
  let from: string | undefined
  do {
    const page = await call((db) => db.send(new ListTablesCommand({ ExclusiveStartTableName: from })))
    names.push(...(page.TableNames ?? []))
    from = page.LastEvaluatedTableName
  } while (from)
  return names
}

/** The Region that the credentials or the profile name. */
export const regionOf = (): Promise<string> => database().config.region()
