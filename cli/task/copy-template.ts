import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWorkspace } from './write-workspace.ts';

/** A task's name made of a folder's: lower case, what is not allowed becomes a dash. */
export function taskNameFrom(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64);
  return name === '' ? 'my-task' : name;
}

/** What becomes of the template. */
interface Adapted {
  /** Where the template lies. */
  from: string;
  name: string;
  /** The pool of the fleet that its runs ask for; null: none. */
  pool: string | null;
  /** Version of its Python; null for a template without one. */
  python: string | null;
}

/** Copies the template task under another name into a new or empty folder; returns the paths written. */
export async function copyTemplate(input: Adapted & { to: string; shown: string }): Promise<string[]> {
  const entries = await readdir(input.from, { recursive: true, withFileTypes: true });
  const files = [];
  for (const entry of entries.filter((one) => one.isFile())) {
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

function adaptedFile(path: string, content: Buffer, input: Adapted): Buffer {
  if (path === 'task.yaml') return adapted(content.toString('utf8'), input);
  if (path !== 'README.md') return content;
  return Buffer.from(content.toString('utf8').replace(/^# .*$/m, () => `# ${input.name}`));
}

const PLAIN = /^(?!(null|true|false|yes|no|on|off|y|n)$)[a-z][a-z0-9-]*$/;

const RESOURCES = /\bresources: \{ /;

/** A name like 007 or null would be read as something else without quotes. */
const inYaml = (name: string): string => (PLAIN.test(name) ? name : JSON.stringify(name));

const PYTHON = /^environment: \{ python: '[\d.]+'/m;
const SCHEMA = /^# yaml-language-server:.*\n/m;

/** The task under its new name, and its schema where an editor finds it from anywhere. */
function adapted(yaml: string, { name, from, pool, python }: Adapted): Buffer {
  const shown = inYaml(name);
  const schema = `# yaml-language-server: $schema=${join(dirname(from), 'task.schema.json')}\n`;
  const named = yaml.replace(SCHEMA, '').replace(/^name:.*$/m, () => `name: ${shown}`);
  const own = python === null ? named : named.replace(PYTHON, () => `environment: { python: '${python}'`);
  return Buffer.from(schema + (pool === null || pool === 'local' ? own : forPool(own, pool)));
}

/** A run on a machine of a fleet has a slot of its own, whose clock is a fair one. */
const forPool = (yaml: string, pool: string): string =>
  yaml
    .replace(RESOURCES, () => `resources: { pool: ${inYaml(pool)}, `)
    .replace(/^( *budget: \{.*kind: )cpu\b/m, '$1wall');
