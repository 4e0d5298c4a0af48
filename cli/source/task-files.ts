import { stringify } from 'yaml';
import { EVALUATOR, evaluatorText } from '../../domain/source/evaluator-text.ts';
import type { TaskInput } from '../../domain/task/task.ts';
import { quoteWord } from '../../domain/text/quote-word.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import type { Made } from './told-rows.ts';

/** The files of the folder of a task that was made of a program: its task.yaml, its workspace, and its evaluator, if any. */
export function taskFiles({ asked, source, artefacts, task }: Made, workspace: WorkspaceFile[]): WorkspaceFile[] {
  const files = [yamlFile(task, asked.source), ...below('workspace', workspace)];
  if (asked.evaluate === null || artefacts === null) return files;
  const text = evaluatorText({ command: asked.evaluate, metric: asked.metric.name, artefacts });
  // The output of a run takes the place of a file of that name.
  const own = source.files.filter(({ path }) => !artefacts.includes(path));
  return [
    ...files,
    ...below('evaluator', own),
    { path: `evaluator/${EVALUATOR}`, content: Buffer.from(text), executable: false },
  ];
}

const below = (folder: string, files: readonly WorkspaceFile[]): WorkspaceFile[] =>
  files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));

function yamlFile(task: TaskInput, source: string): WorkspaceFile {
  const head = `# Made by perpetua start --source ${quoteWord(source)}. Every key: docs/guides/tasks.md\n`;
  return { path: 'task.yaml', content: Buffer.from(head + stringify(task)), executable: false };
}
