import { type Problem, describeValue } from '../../issue/problem.ts';
import { liesIn, pathProblem } from '../../text/path-problem.ts';
import { sandboxFolderProblem } from '../sandbox-folder-problem.ts';
import type { Task } from '../task.ts';

type Path = Problem['path'];

/** Problems of paths: paths and globs outside their folder, and folders inside each other. */
export function pathProblems(task: Task): Problem[] {
  const files = task.evaluator.type === 'none' ? null : task.evaluator.files;
  const draws = task.evaluator.type === 'none' ? [] : (task.evaluator.draws ?? []);
  const inTask = "the task's folder";
  const inWorkspace = 'the workspace';
  const named: NamedPath[] = [[['workspace'], task.workspace, 'path', inTask]];
  if (files !== null) named.push([['evaluator', 'files'], files, 'path', inTask]);
  if (task.prompt !== undefined) named.push([['prompt'], task.prompt, 'path', inTask]);
  if (task.environment !== undefined) named.push([['environment', 'lock'], task.environment.lock, 'path', inTask]);
  named.push(
    ...task.mutable.map((glob, i): NamedPath => [['mutable', i], glob, 'glob', inWorkspace]),
    ...task.immutable.map((glob, i): NamedPath => [['immutable', i], glob, 'glob', inWorkspace]),
    ...task.run.artefacts.map(({ path }, i): NamedPath => [
      ['run', 'artefacts', i, 'path'],
      path,
      'path',
      'the run directory',
    ]),
    ...draws.map(({ path }, i): NamedPath => [['evaluator', 'draws', i, 'path'], path, 'path', inWorkspace]),
    ...task.knobs.map(({ file }, i): NamedPath => [['knobs', i, 'file'], file, 'path', inWorkspace]),
  );
  return [
    ...named.flatMap(invalidPath),
    ...(files === null ? [] : nested(task.workspace, files)),
    ...locked(task),
    ...machineFolders(task),
  ];
}

/** Problems of folders of the machine that a sandbox would show to runs or to the evaluator. */
function machineFolders({ run, evaluator }: Task): Problem[] {
  const programs = { expected: 'a folder of programs on the machine', like: '/home/me/venv/bin' };
  const data = { expected: 'a folder of the machine that runs may read', like: '/data/images' };
  const labels = { expected: 'a folder of the machine that the evaluator may read', like: '/data/labels' };
  const labelled = evaluator.type === 'none' ? [] : (evaluator.readable ?? []);
  return [
    ...machineFolder(['run', 'path'], run.path, programs),
    ...machineFolder(['run', 'readable'], run.readable, data),
    ...machineFolder(['evaluator', 'readable'], labelled, labels),
  ];
}

const machineFolder = (
  key: Path,
  folders: readonly string[],
  { expected, like }: { expected: string; like: string },
): Problem[] =>
  folders.flatMap((folder, i): Problem[] => {
    const why = sandboxFolderProblem(folder);
    const todo = `give the absolute path of the folder that is needed, such as ${like}`;
    return why === null ? [] : [{ path: [...key, i], expected, got: `${describeValue(folder)}: ${why}`, todo }];
  });

/** The key of a path, the path, the kind of path (`glob` or `path`), and the folder that it starts from. */
type NamedPath = [Path, string, 'path' | 'glob', string];

function invalidPath([path, value, kind, folder]: NamedPath): Problem[] {
  const inverted = value.startsWith('!') && kind === 'glob';
  const why = inverted ? 'it is inverted with !' : pathProblem(value);
  if (why === null) return [];
  const got = `${describeValue(value)}: ${why}`;
  const todo = inverted
    ? 'list exceptions under immutable instead'
    : `write the ${kind} from ${folder}, such as ${cleanPath(value)}`;
  const dots = /^\.\.(\/|$)/.test(value) ? `leads out of ${folder}` : 'has .. as a part';
  const reason = why.replace('it leaves its folder with ..', dots).replace(/^it /, '');
  const says = `${describeValue(value).replace(/^the text /, '')} ${reason}; ${todo}`;
  return [{ path, expected: `a ${kind} inside ${folder}`, got, todo, says }];
}

/** The parts of an invalid path that a valid one could have, as an example. */
function cleanPath(value: string): string {
  const parts = value
    .replace(/^[A-Za-z]:/, '')
    .split(/[\\/]+/)
    .map((part) => part.replaceAll(/[\u0000-\u001f\u007f]/g, '').replace(/^~/, ''))
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.slice(-3).join('/').slice(0, 200) || 'data';
}

function locked({ environment, workspace }: Task): Problem[] {
  if (environment === undefined || !liesIn(environment.lock, workspace)) return [];
  const got = `${describeValue(environment.lock)}, inside the workspace`;
  const todo = 'move it beside task.yaml: no proposal changes the packages';
  return [{ path: ['environment', 'lock'], expected: 'a lock outside the workspace', got, todo }];
}

function nested(workspace: string, files: string): Problem[] {
  const expected = 'the workspace and the evaluator in two folders beside each other';
  const todo = (what: string): string => `move ${what} out: a run can read and change everything in the workspace`;
  if (liesIn(files, workspace)) {
    const got = `${describeValue(files)}, inside the workspace`;
    return [{ path: ['evaluator', 'files'], expected, got, todo: todo('the evaluator') }];
  }
  if (liesIn(workspace, files)) {
    const got = `${describeValue(workspace)}, inside the evaluator`;
    return [{ path: ['workspace'], expected, got, todo: todo('the workspace') }];
  }
  return [];
}
