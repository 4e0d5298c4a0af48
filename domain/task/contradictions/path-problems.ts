import { type Problem, describeValue } from '../../issue/problem.ts';
import { liesIn, pathProblem } from '../../text/path-problem.ts';
import { sandboxFolderProblem } from '../sandbox-folder-problem.ts';
import type { Task } from '../task.ts';

type Path = Problem['path'];

/** Problems of paths: paths and globs outside their folder, and folders inside each other. */
export function pathProblems(task: Task): Problem[] {
  const files = task.evaluator.type === 'none' ? null : task.evaluator.files;
  const draws = task.evaluator.type === 'none' ? [] : (task.evaluator.draws ?? []);
  const below = "a path below the task's folder";
  const named: NamedPath[] = [[['workspace'], task.workspace, below]];
  if (files !== null) named.push([['evaluator', 'files'], files, below]);
  if (task.prompt !== undefined) named.push([['prompt'], task.prompt, below]);
  if (task.environment !== undefined) named.push([['environment', 'lock'], task.environment.lock, below]);
  named.push(
    ...task.mutable.map((glob, i): NamedPath => [['mutable', i], glob, 'a glob inside the workspace']),
    ...task.immutable.map((glob, i): NamedPath => [['immutable', i], glob, 'a glob inside the workspace']),
    ...task.run.artefacts.map(({ path }, i): NamedPath => [
      ['run', 'artefacts', i, 'path'],
      path,
      'a path inside the run directory',
    ]),
    ...draws.map(({ path }, i): NamedPath => [['evaluator', 'draws', i, 'path'], path, 'a path inside the workspace']),
    ...task.knobs.map(({ file }, i): NamedPath => [['knobs', i, 'file'], file, 'a path inside the workspace']),
  );
  return [
    ...named.flatMap(invalidPath),
    ...(files === null ? [] : nested(task.workspace, files)),
    ...locked(task),
    ...machineFolders(task),
  ];
}

const FOLDERS = {
  path: { expected: 'a folder of programs on the machine', like: '/home/me/venv/bin' },
  readable: { expected: 'a folder of the machine that runs may read', like: '/data/images' },
} as const;

/** Problems of folders of the machine that a sandbox would show to runs. */
function machineFolders({ run }: Task): Problem[] {
  return (['path', 'readable'] as const).flatMap((key) =>
    run[key].flatMap((folder, i): Problem[] => {
      const why = sandboxFolderProblem(folder);
      const { expected, like } = FOLDERS[key];
      const todo = `give the absolute path of the folder that is needed, such as ${like}`;
      return why === null ? [] : [{ path: ['run', key, i], expected, came: `${describeValue(folder)}: ${why}`, todo }];
    }),
  );
}

/** The key of a path, the path, and the expected kind of path. */
type NamedPath = [Path, string, string];

function invalidPath([path, value, expected]: NamedPath): Problem[] {
  const inverted = value.startsWith('!') && (path[0] === 'mutable' || path[0] === 'immutable');
  const why = inverted ? 'it is inverted with !' : pathProblem(value);
  if (why === null) return [];
  const todo = inverted
    ? 'list exceptions under immutable instead'
    : 'write it relative, with forward slashes, without . or ..';
  return [{ path, expected, came: `${describeValue(value)}: ${why}`, todo }];
}

function locked({ environment, workspace }: Task): Problem[] {
  if (environment === undefined || !liesIn(environment.lock, workspace)) return [];
  const came = `${describeValue(environment.lock)}, inside the workspace`;
  const todo = 'move it beside task.yaml: no proposal changes the packages';
  return [{ path: ['environment', 'lock'], expected: 'a lock outside the workspace', came, todo }];
}

function nested(workspace: string, files: string): Problem[] {
  const expected = 'the workspace and the evaluator in two folders beside each other';
  const todo = 'move the evaluator out: a run can read and change everything in the workspace';
  if (liesIn(files, workspace))
    return [{ path: ['evaluator', 'files'], expected, came: `${describeValue(files)}, inside the workspace`, todo }];
  if (liesIn(workspace, files))
    return [{ path: ['workspace'], expected, came: `${describeValue(workspace)}, inside the evaluator`, todo }];
  return [];
}
