import type { MissingTool } from './find-missing-tool.ts';
import { hasKey, isData, lineFor } from './task-line.ts';

/** A place on a machine that has the tool that a program did not find. */
export interface FoundTool {
  /** Folder of the program, the Python or the file. */
  folder: string;
  /** Version of a Python; else null. */
  version: string | null;
  /** Folder of packages of a single user that has the module; null if the Python itself has it. */
  userSite: string | null;
  /** Path that the runs' user may not read; null if it may, or if runs have no user of their own. */
  closed: { path: string; mode: string; folder: string } | null;
  /** Reason why a sandbox may not show the folder to runs, as the end of a sentence; null if it may. */
  refused: string | null;
}

export interface Finding {
  found: FoundTool[];
  /** Versions of the Pythons that were searched, such as 3.11.7, the most likely one first. */
  pythons: readonly string[];
}

/** The facts of a task on which advice depends. */
export interface Advised {
  path: readonly string[];
  readable: readonly string[];
  /** Lock file of its environment, which Perpetua installs; null without an environment. */
  lock: string | null;
  /** Description of the machine: `this machine`, `host box`. */
  machine: string;
  /** Set if the evaluator lacked the tool: its own folders of data, which runs do not see. */
  evaluator?: { readable: readonly string[] } | undefined;
}

const MOST_OTHERS = 2;

/** Packages by the name of their module, if the two differ. */
const PACKAGES: Readonly<Partial<Record<string, string>>> = {
  sklearn: 'scikit-learn',
  skimage: 'scikit-image',
  cv2: 'opencv-python-headless',
  PIL: 'pillow',
  yaml: 'PyYAML',
  dateutil: 'python-dateutil',
  bs4: 'beautifulsoup4',
};

const packageOf = (module: string): string => (PACKAGES[module] ? `its package, ${PACKAGES[module]},` : 'it');

/** The `environment` key for task.yaml, with the version of a suitable Python on the machine if there is one. */
export function environmentFor(pythons: readonly string[], lock = 'requirements.lock'): string {
  const fit = pythons.find((version) => /^3\.(?:9|1\d)(?:\.|$)/.test(version)) ?? '3.12';
  return `environment: { python: '${fit.split('.').slice(0, 2).join('.')}', lock: ${lock} }`;
}

/** Advice about a missing tool in a few sentences, with the line for task.yaml; null if there is none. */
export function adviceFor(missing: MissingTool, finding: Finding, task: Advised): string | null {
  if (task.evaluator === undefined || !isData(missing)) return adviceForRun(missing, finding, task);
  const advice = adviceForRun(missing, finding, { ...task, readable: task.evaluator.readable });
  return (
    advice && advice.replaceAll('runs cannot', 'the evaluator cannot').replaceAll('under run,', 'under evaluator,')
  );
}

function adviceForRun(missing: MissingTool, { found, pythons }: Finding, task: Advised): string | null {
  const { kind, name } = missing;
  if (kind === 'python' && task.lock !== null)
    return `${name} is not in the task's environment: add ${packageOf(name)} to ${task.lock}, and lock it again.`;
  const allowed = found.filter(({ refused }) => refused === null);
  const [first, ...others] = [...allowed, ...found.filter(({ refused }) => refused)];
  if (first === undefined) return nowhere(missing, { pythons, machine: task.machine });
  const environment = environmentFor(pythons);
  const where = whereOf(missing, first);
  if (first.refused !== null) {
    const hidden = kind === 'file' ? `but runs cannot see its folder ${first.folder}` : 'which runs cannot use';
    const instead =
      kind === 'python' ? `Use another one, or add to task.yaml:  ${environment}` : copyAdvice(missing, task);
    return `${where}, ${hidden}: ${first.refused}.\n${instead}`;
  }
  const also = others.filter(({ refused }) => refused === null).slice(0, MOST_OTHERS);
  return [
    `${where}, ${kind === 'file' ? 'but runs cannot read it' : 'which runs cannot use'}.`,
    kind === 'command' && name === 'python' ? 'Use python3 instead of python if that works; otherwise:' : '',
    permissionAdvice(first, { machine: task.machine, environment: kind === 'file' ? null : environment }),
    `In task.yaml, under run, ${hasKey(missing, first, task) ? 'set' : 'add'}:  ${lineFor(missing, first, task)}`,
    also.length === 0 ? '' : `Also in ${also.map(({ folder }) => folder).join(' and ')}.`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** Advice about a file or a program in a folder that no run may see. */
function copyAdvice(missing: MissingTool, task: Advised): string {
  const copy = { folder: '/data/mine', userSite: null };
  const verb = hasKey(missing, copy, task) ? 'set' : 'add';
  return (
    `If every candidate may ${missing.kind === 'file' ? 'read it' : 'use it'}, copy it to another folder, such as ` +
    `${copy.folder}.\n` +
    `In task.yaml, under run, ${verb}:  ${lineFor(missing, copy, task)}`
  );
}

/** The advice; null if the message already contains it. */
export const unlessMentioned = (advice: string | null, message: string | null): string | null =>
  advice !== null && message?.includes(advice) ? null : advice;

function whereOf({ kind, name }: MissingTool, { folder, version, userSite }: FoundTool): string {
  if (kind === 'python' && userSite !== null) return `${name} is in ${userSite}, which belongs to one user`;
  if (kind === 'python') return `${name} is in the Python ${version ?? ''} of ${folder}`.replace('  ', ' ');
  return kind === 'file' ? `${name} exists` : `${name} is in ${folder}`;
}

function permissionAdvice(
  { closed }: FoundTool,
  { machine, environment }: { machine: string; environment: string | null },
): string {
  if (closed === null) return '';
  const instead = environment === null ? '' : `, or add  ${environment}  instead`;
  return (
    `On ${machine} runs have a user of their own, which may not read ${closed.path} (mode ${closed.mode}): ` +
    `chmod -R o+rX ${closed.folder}${instead}.`
  );
}

function nowhere(
  { kind, name }: MissingTool,
  { pythons, machine }: { pythons: readonly string[]; machine: string },
): string | null {
  if (kind === 'python') {
    const searched =
      pythons.length === 0
        ? `No Python was found on ${machine}.`
        : `The Pythons that were found on ${machine} lack ${name} (${pythons.length} searched). ` +
          'If another one has it, add under run  path: [/folder/of/that/python].';
    return `${searched}\nList ${packageOf(name)} in a lock file, and add to task.yaml:  ${environmentFor(pythons)}`;
  }
  return kind === 'command'
    ? `No folder of programs on ${machine} has ${name}: install it, or correct the command.`
    : null;
}
