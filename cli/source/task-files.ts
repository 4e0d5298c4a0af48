import { stringify } from 'yaml';
import { EVALUATOR, evaluatorText } from '../../domain/source/evaluator-text.ts';
import { environmentFiles } from '../../domain/task/environment/lock-problems.ts';
import type { TaskInput } from '../../domain/task/task.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import type { MadeTask } from './describe-made-task.ts';
import type { Source } from './read-source.ts';

/** Files of the made task's folder: task.yaml, the workspace, and the evaluator's folder if there is an evaluator. */
export function taskFiles({ request, source, artefacts, task }: MadeTask, workspace: WorkspaceFile[]): WorkspaceFile[] {
  const files = [yamlFile(task, request.source), ...lockFiles(source, task), ...below('workspace', workspace)];
  if (request.evaluate === null || artefacts === null) return files;
  // Only the variables by which Python finds modules are in run.env.
  const exported = Object.entries(task.run.env ?? {})
    .map(([name, value]) => `export ${name}=${shellWord(value)}; `)
    .join('');
  const text = evaluatorText({ command: exported + request.evaluate, metric: request.metric.name, artefacts });
  // An artefact of a run must not find a file of the same name in the evaluator's folder.
  const evaluatorFiles = source.files.filter(({ path }) => !artefacts.includes(path));
  return [
    ...files,
    ...below('evaluator', evaluatorFiles),
    { path: `evaluator/${EVALUATOR}`, content: Buffer.from(text), executable: false },
  ];
}

/** Files of the source from which the task's Python is installed. */
export const lockFiles = ({ files }: Source, { environment }: Pick<TaskInput, 'environment'>): WorkspaceFile[] =>
  environment === undefined ? [] : files.filter(({ path }) => environmentFiles(environment).includes(path));

const below = (folder: string, files: readonly WorkspaceFile[]): WorkspaceFile[] =>
  files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));

/** The file task.yaml of a made task. */
export function yamlFile(task: TaskInput, source: string): WorkspaceFile {
  const head = `# Made by perpetua start --source ${shellWord(source)}. Every key: docs/guides/tasks.md\n`;
  return { path: 'task.yaml', content: Buffer.from(head + stringify(task)), executable: false };
}
