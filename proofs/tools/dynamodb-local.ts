import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../local/kit/child-process.ts'

const version = '2.6.1'

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>berth</groupId><artifactId>prove</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>com.amazonaws</groupId><artifactId>DynamoDBLocal</artifactId><version>${version}</version></dependency>
  </dependencies>
</project>`

/** On 127.0.0.1 only: by default it listens at every address. */
const program = `
import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

class Local {
  public static void main(String[] port) throws Exception {
    var proxy = ServerRunner.createServerFromCommandLineArgs(new String[] {"-inMemory", "-disableTelemetry", "-port", port[0]});
    var field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    for (var connector : ((Server) field.get(proxy)).getConnectors()) ((ServerConnector) connector).setHost("127.0.0.1");
    proxy.start();
    proxy.join();
  }
}`

/**
 * Amazon's own DynamoDB Local, from Maven Central, in memory: a database for each access key. Needs a JDK and Maven.
 */
export async function startDynamoDbLocal(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = join(tmpdir(), `berth-prove-dynamodb-${version}`)
  const lib = join(folder, 'lib')
  if (!existsSync(lib)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'pom.xml'), project)
    const copied = spawnSync('mvn', ['-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], {
      cwd: folder,
      stdio: 'inherit',
    })
    if (copied.status !== 0)
      throw new Error('DynamoDB Local could not be installed: Maven (apt-get install maven) is needed')
  }
  writeFileSync(join(folder, 'Local.java'), program)
  const port = await freePort()
  const args = ['-cp', 'lib/*', '-Djava.library.path=lib', 'Local.java', `${port}`]
  const child = spawn('java', args, { cwd: folder, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (let tried = 0; !(await answers(url)); tried++) {
    if (child.exitCode !== null || tried === 300) throw new Error('DynamoDB Local did not start: a JDK of 17 is needed')
    await sleep(200)
  }
  return {
    url,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )
