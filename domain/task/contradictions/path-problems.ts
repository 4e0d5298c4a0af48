import { type Problem, describeValue } from '../../issue/problem.ts';
import { liesIn, pathProblem } from '../../text/path-problem.ts';
import { sandboxFolderProblem } from '../sandbox-folder-problem.ts';
import type { Task } from '../task.ts';

type Path = Problem['path'];

/** Paths and globs that are not inside their folder, and folders that lie in each other. */
export function pathProblems(task: Task): Problem[] {
  const files = task.evaluator.type === 'none' ? null : task.evaluator.files;
  const named: [Path, string, string][] = [
    [['workspace'], task.workspace, "a path below the task's folder"],
    ...(files === null ? [] : [[['evaluator', 'files'], files, "a path below the task's folder"] as named]),
    ...(task.prompt === undefined ? [] : [[['prompt'], task.prompt, "a path below the task's folder"] as named]),
    ...(task.environment === undefined
      ? []
      : [[['environment', 'lock'], task.environment.lock, "a path below the task's folder"] as named]),
    ...task.mutable.map((glob, i): named => [['mutable', i], glob, 'a glob inside the workspace']),
    ...task.immutable.map((glob, i): named => [['immutable', i], glob, 'a glob inside the workspace']),
    ...task.run.artefacts.map(({ path }, i): named => [
      ['run', 'artefacts', i, 'path'],
      path,
      'a path inside the run directory',
    ]),
    ...(task.evaluator.type === 'none' ? [] : (task.evaluator.draws ?? [])).map(({ path }, i): named => [
      ['evaluator', 'draws', i, 'path'],
      path,
      'a path inside the workspace',
    ]),
    ...task.knobs.map(({ file }, i): named => [['knobs', i, 'file'], file, 'a path inside the workspace']),
  ];
  return [
    ...named.flatMap(refused),
    ...(files === null ? [] : nested(task.workspace, files)),
    ...locked(task),
    ...machineFolders(task),
  ];
}

const FOLDERS = {
  path: { expected: 'a folder of programs on the machine', like: '/home/me/venv/bin' },
  readable: { expected: 'a folder of the machine that runs may read', like: '/data/images' },
} as const;

/** Folders of the machine that a sandbox would show. */
function machineFolders({ run }: Task): Problem[] {
  return (['path', 'readable'] as const).flatMap((key) =>
    run[key].flatMap((folder, i): Problem[] => {
      const why = sandboxFolderProblem(folder);
      const { expected, like } = FOLDERS[key];
      const todo = `name the very folder that is needed, from the root, such as ${like}`;
      return why === null ? [] : [{ path: ['run', key, i], expected, came: `${describeValue(folder)}: ${why}`, todo }];
    }),
  );
}

type named = [Path, string, string];

function refused([path, value, expected]: named): Problem[] {
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
  const todo = 'move the evaluator out: whatever lies in the workspace can be read and changed by a run';
  if (liesIn(files, workspace))
    return [{ path: ['evaluator', 'files'], expected, came: `${describeValue(files)}, inside the workspace`, todo }];
  if (liesIn(workspace, files))
    return [{ path: ['workspace'], expected, came: `${describeValue(workspace)}, inside the evaluator`, todo }];
  return [];
}
