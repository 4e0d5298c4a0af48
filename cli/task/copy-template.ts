import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWorkspace } from './write-workspace.ts';

/** Changes to a template. */
interface Adaptation {
  /** Folder of the template. */
  from: string;
  /** Name of the new task. */
  name: string;
  /** Pool of the fleet for its runs; null: none. */
  pool: string | null;
  /** Python version; null for a template without Python. */
  python: string | null;
}

/** Copies the template task under another name into a new or empty folder; returns the paths written. */
export async function copyTemplate(input: Adaptation & { to: string; shown: string }): Promise<string[]> {
  const entries = await readdir(input.from, { recursive: true, withFileTypes: true });
  const files = [];
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const source = join(entry.parentPath, entry.name);
    const path = source.slice(input.from.length + 1).replaceAll('\\', '/');
    const content = await readFile(source);
    const { mode } = await stat(source);
    files.push({
      path,
      content: adaptedFile(path, content, input),
      executable: (mode & 0o100) !== 0,
    });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return writeWorkspace(input.to, files);
}

function adaptedFile(path: string, content: Buffer, input: Adaptation): Buffer {
  if (path === 'task.yaml') return adaptedTask(content.toString('utf8'), input);
  if (path !== 'README.md') return content;
  return Buffer.from(content.toString('utf8').replace(/^# .*$/m, () => `# ${input.name}`));
}

const PLAIN = /^(?!(null|true|false|yes|no|on|off|y|n)$)[a-z][a-z0-9-]*$/;

const RESOURCES = /\bresources: \{ /;

/** A name as a YAML string: without quotes, YAML reads `007` as a number and `null` as null. */
const inYaml = (name: string): string => (PLAIN.test(name) ? name : JSON.stringify(name));

const PYTHON = /^environment: \{ python: '[\d.]+'/m;
const SCHEMA = /^# yaml-language-server:.*\n/m;

/** The task.yaml with its new name, and with an absolute path of the schema, which an editor finds from any folder. */
function adaptedTask(yaml: string, { name, from, pool, python }: Adaptation): Buffer {
  const quotedName = inYaml(name);
  const schema = `# yaml-language-server: $schema=${join(dirname(from), 'task.schema.json')}\n`;
  let text = yaml.replace(SCHEMA, '').replace(/^name:.*$/m, () => `name: ${quotedName}`);
  if (python !== null) text = text.replace(PYTHON, () => `environment: { python: '${python}'`);
  if (pool !== null && pool !== 'local') text = forPool(text, pool);
  return Buffer.from(schema + text);
}

/** Sets the pool, and a budget of wall-clock time instead of CPU time: a run of a fleet has a slot to itself. */
const forPool = (yaml: string, pool: string): string =>
  yaml
    .replace(RESOURCES, () => `resources: { pool: ${inYaml(pool)}, `)
    .replace(/^( *budget: \{.*kind: )cpu\b/m, '$1wall');
