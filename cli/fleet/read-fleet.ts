import { z } from 'zod';
import { fleetContradictions } from '../../domain/fleet/contradictions.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { explain, inOrder, toIssue } from '../../tasks/yaml/explain.ts';
import type { JsonSchema } from '../../domain/task/explain/json-schema.ts';
import { parseYaml } from '../../tasks/yaml/parse-yaml.ts';
import { issueOfFile, readYamlFile } from '../../tasks/yaml/read-yaml-file.ts';
import { TaskError, type TaskIssue } from '../../tasks/task-error.ts';

const refused = (issues: readonly TaskIssue[], moreChecks = false): TaskError =>
  new TaskError(issues, { what: 'fleet', moreChecks });

const MEANT = { what: 'a fleet', begin: 'begin with pools and hosts; docs/guides/fleet.md has examples' };

/** Reads and checks a fleet.yaml. Throws TaskError with all its problems. */
export async function readFleet(file: string): Promise<Fleet> {
  const read = await readYamlFile(file);
  const none = {
    expected: 'a file with pools and hosts',
    got: 'no such file',
    todo: 'write it, or name another with --file; docs/guides/fleet.md has examples',
  };
  if (read === null) throw refused([issueOfFile(file, none)]);
  if ('issue' in read) throw refused([read.issue]);
  return parseFleet(read.text, file);
}

/** Parses a fleet from YAML text. `file`: its name in error messages. Throws TaskError with all its problems. */
export function parseFleet(yaml: string, file = 'fleet.yaml'): Fleet {
  const parsed = parseYaml(yaml, file, MEANT);
  if (!parsed.ok) throw refused(parsed.issues, true);
  const schema = z.toJSONSchema(Fleet, { io: 'input' }) as JsonSchema;
  const source = { file, schema, value: parsed.value, locate: parsed.locate };
  const checked = Fleet.safeParse(parsed.value);
  if (!checked.success) throw refused(explain(checked.error, source), true);
  const problems = fleetContradictions(checked.data);
  if (problems.length > 0) throw refused(inOrder(problems.map((problem) => toIssue(problem, source))));
  return checked.data;
}
