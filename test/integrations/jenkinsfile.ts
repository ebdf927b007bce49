/** Runs a declarative pipeline of Jenkins with Debian's Groovy, and lists the shell steps that it would start. */
import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from './ci-job.ts';

const [groovy, java] = ['/usr/bin/groovy', '/usr/bin/java'];
export const hasGroovy = existsSync(groovy) && existsSync(java);

export interface ShellStep {
  stage: string;
  env: Record<string, string>;
  script: string;
}

/** The parts of the pipeline that Jenkins gives a meaning to: https://www.jenkins.io/doc/book/pipeline/syntax/ */
const pipeline = `
class Scope {
  Map env = [:]; String stage; List steps; Map secrets
  def any = null
  def agent(ignored) {}
  def run(Closure body) { body.delegate = this; body.resolveStrategy = Closure.DELEGATE_FIRST; body() }
  def pipeline(Closure body) { run(body) }
  def stages(Closure body) { run(body) }
  def steps(Closure body) { run(body) }
  def stage(String name, Closure body) {
    new Scope(env: new LinkedHashMap(env), stage: name, steps: steps, secrets: secrets).run(body)
  }
  def environment(Closure body) { new Variables(env: env, secrets: secrets).run(body) }
  def string(Map credential) { credential }
  def withCredentials(List bindings, Closure body) {
    bindings.each { env[it.variable] = secret(secrets, it.credentialsId) }
    run(body)
  }
  def sh(String script) { steps << [stage: stage, env: new LinkedHashMap(env), script: script] }
  static String secret(Map secrets, String id) {
    if (!secrets.containsKey(id)) throw new IllegalStateException("no credential " + id)
    secrets[id]
  }
}
class Variables {
  Map env; Map secrets
  def run(Closure body) { body.delegate = this; body.resolveStrategy = Closure.DELEGATE_ONLY; body() }
  def credentials(String id) { Scope.secret(secrets, id) }
  void setProperty(String name, value) {
    if (name in ['env', 'secrets']) metaClass.setProperty(this, name, value) else env[name] = value as String
  }
}
def scope = new Scope(steps: [], secrets: new groovy.json.JsonSlurper().parse(new File(args[1])))
def shell = new GroovyShell(this.class.classLoader)
def script = shell.parse(new File(args[0]))
script.metaClass.pipeline = { Closure body -> scope.pipeline(body) }
script.metaClass.stage = { String name, Closure body -> scope.stage(name, body) }
script.run()
println groovy.json.JsonOutput.toJson(scope.steps)
`;

export async function runJenkinsfile(
  jenkinsfile: string,
  credentials: Record<string, string>,
): Promise<ShellStep[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-jenkins-'));
  try {
    await writeFile(join(folder, 'run.groovy'), pipeline);
    await writeFile(join(folder, 'Jenkinsfile'), jenkinsfile);
    await writeFile(join(folder, 'credentials.json'), JSON.stringify(credentials));
    const args = ['run.groovy', 'Jenkinsfile', 'credentials.json'];
    // Otherwise, Groovy looks for the default Java of Debian, which not every machine has.
    const env = { PATH: '/usr/bin:/bin', HOME: folder, JAVA_HOME: dirname(dirname(realpathSync(java))) };
    const { code, stdout, stderr } = await runProgram(groovy, args, folder, env);
    if (code !== 0) throw new Error(stderr || stdout);
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
