import type { MissingTool } from './find-missing-tool.ts';
import { hasKey, lineFor } from './task-line.ts';

/** Where a machine has what a program looked for in vain. */
export interface FoundTool {
  /** Folder of the program or of the Python; of a file the folder that it lies in. */
  folder: string;
  /** Of a Python; else null. */
  version: string | null;
  /** Folder of packages that only the Python of its own user looks into; null where the module is the Python's. */
  userSite: string | null;
  /** What the user of runs may not read there; null where it may, or has no other one. */
  closed: { path: string; mode: string; folder: string } | null;
  /** Why runs may not be shown it, as a sentence's end; null where they may. */
  refused: string | null;
}

export interface Finding {
  found: FoundTool[];
  /** Versions of the Pythons that were looked at, such as 3.11.7, the likeliest to be used first. */
  pythons: readonly string[];
}

/** The task as far as advice goes by it. */
export interface Advised {
  path: readonly string[];
  readable: readonly string[];
  /** Its lock file, where its packages are Perpetua's to install; null without. */
  lock: string | null;
  /** The machine in words: `this machine`, `host box`. */
  machine: string;
}

const MOST_OTHERS = 2;

/** Packages whose module has another name. */
const PACKAGES: Readonly<Partial<Record<string, string>>> = {
  ...{ sklearn: 'scikit-learn', skimage: 'scikit-image', cv2: 'opencv-python-headless', PIL: 'pillow' },
  ...{ yaml: 'PyYAML', dateutil: 'python-dateutil', bs4: 'beautifulsoup4' },
};

const packageOf = (module: string): string => (PACKAGES[module] ? `its package, ${PACKAGES[module]},` : 'it');

/** The key of an environment, for a Python that is there where one will do. */
function environmentFor(pythons: readonly string[]): string {
  const fit = pythons.find((version) => /^3\.(?:9|1\d)\./.test(version)) ?? '3.12';
  return `environment: { python: '${fit.split('.').slice(0, 2).join('.')}', lock: requirements.lock }`;
}

/** What to do about what was not found, in a few sentences, with the line for task.yaml; null where nothing is known. */
export function adviceFor(missing: MissingTool, { found, pythons }: Finding, task: Advised): string | null {
  const { kind, name } = missing;
  if (kind === 'python' && task.lock !== null)
    return `${name} is not in the task's environment: add ${packageOf(name)} to ${task.lock}, and lock it again.`;
  const [first, ...others] = [...found.filter((one) => one.refused === null), ...found.filter((one) => one.refused)];
  if (first === undefined) return nowhere(missing, { pythons, machine: task.machine });
  const environment = environmentFor(pythons);
  const where = `${whereOf(missing, first)}, ${kind === 'file' ? 'and runs do not see it' : 'which runs do not see'}.`;
  if (first.refused !== null) {
    const instead =
      kind === 'python'
        ? `\nUse another one, or add to task.yaml:  ${environment}`
        : ' Move it into a folder of its own.';
    return `${where} They may not be shown it: ${first.refused}.${instead}`;
  }
  const also = others.filter(({ refused }) => refused === null).slice(0, MOST_OTHERS);
  return [
    where,
    kind === 'command' && name === 'python' ? 'Write python3 in place of python where that will do; otherwise:' : '',
    closedWords(first, { machine: task.machine, environment: kind === 'file' ? null : environment }),
    `In task.yaml, under run, ${hasKey(missing, first, task) ? 'set' : 'add'}:  ${lineFor(missing, first, task)}`,
    also.length === 0 ? '' : `Also in ${also.map(({ folder }) => folder).join(' and ')}.`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** The advice; null where the message has it already. */
export const unlessMentioned = (advice: string | null, message: string | null): string | null =>
  advice !== null && message?.includes(advice) ? null : advice;

function whereOf({ kind, name }: MissingTool, { folder, version, userSite }: FoundTool): string {
  if (kind === 'python' && userSite !== null) return `${name} is in ${userSite}, of one user alone`;
  if (kind === 'python') return `${name} is in the Python ${version ?? ''} of ${folder}`.replace('  ', ' ');
  return kind === 'file' ? `${name} is there` : `${name} is in ${folder}`;
}

function closedWords(
  { closed }: FoundTool,
  { machine, environment }: { machine: string; environment: string | null },
): string {
  if (closed === null) return '';
  const instead = environment === null ? '' : `, or add  ${environment}  instead`;
  return `On ${machine} runs have a user of their own, who may not read ${closed.path} (mode ${closed.mode}): chmod -R o+rX ${closed.folder}${instead}.`;
}

function nowhere(
  { kind, name }: MissingTool,
  { pythons, machine }: { pythons: readonly string[]; machine: string },
): string | null {
  if (kind === 'python') {
    const looked =
      pythons.length === 0
        ? `No Python was found on ${machine}.`
        : `No Python of ${machine} has ${name} (${pythons.length} looked at).`;
    return `${looked}\nList ${packageOf(name)} in a lock file, and add to task.yaml:  ${environmentFor(pythons)}`;
  }
  return kind === 'command'
    ? `No folder of programs on ${machine} has ${name}: install it, or mend the command.`
    : null;
}
