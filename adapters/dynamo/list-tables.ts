import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { call } from './calls.ts'
import { database } from './client.ts'

/** All tables of the account and Region, for operators' commands. Functions get names from the environment. */
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

/** The Region of the credentials or the profile. */
export const regionOf = (): Promise<string> => database().config.region()
