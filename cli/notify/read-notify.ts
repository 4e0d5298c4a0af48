import { z } from 'zod';
import { notifyProblems } from '../../domain/notify/problems.ts';
import { Notify } from '../../domain/notify/sink.ts';
import type { JsonSchema } from '../../domain/task/explain/json-schema.ts';
import { explain, inOrder, toIssue } from '../../tasks/yaml/explain.ts';
import { parseYaml } from '../../tasks/yaml/parse-yaml.ts';
import { issueOfFile, readYamlFile } from '../../tasks/yaml/read-yaml-file.ts';
import { TaskError, type TaskIssue } from '../../tasks/task-error.ts';

const refused = (issues: readonly TaskIssue[], moreChecks = false): TaskError =>
  new TaskError(issues, { what: 'list of sinks', moreChecks });

const GUIDE = 'docs/guides/messages.md has examples';
const MEANT = { what: 'a list of sinks', begin: `begin with sinks; ${GUIDE}` };

/** Reads and checks a notify.yaml. Throws TaskError with all its problems, which show no secret. */
export async function readNotify(file: string): Promise<Notify> {
  const read = await readYamlFile(file);
  const none = {
    expected: 'a file with sinks',
    got: 'no such file',
    todo: `write it, or name another one; ${GUIDE}`,
  };
  if (read === null) throw refused([issueOfFile(file, none)]);
  if ('issue' in read) throw refused([read.issue]);
  return parseNotify(read.text, file);
}

/** Parses sinks from YAML text. `file`: its name in error messages. Throws TaskError with all its problems. */
export function parseNotify(yaml: string, file = 'notify.yaml'): Notify {
  const parsed = parseYaml(yaml, file, MEANT);
  if (!parsed.ok) throw refused(parsed.issues, true);
  const schema = z.toJSONSchema(Notify, { io: 'input' }) as JsonSchema;
  const source = { file, schema, value: parsed.value, locate: parsed.locate };
  const checked = Notify.safeParse(parsed.value);
  if (!checked.success) throw refused(explain(checked.error, source), true);
  const problems = notifyProblems(checked.data);
  if (problems.length > 0) throw refused(inOrder(problems.map((problem) => toIssue(problem, source))));
  return checked.data;
}
